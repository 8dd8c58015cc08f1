// SPDX-License-Identifier: Apache-2.0
// The 3-D view: bodies, marks, camera. Draws only when something has changed.
import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { drawBody } from './bodies.js';
import { Marks } from './marks.js';

const pixelRatioMost = 2;

// Without a graphics processor every pixel counts.
function drawsInSoftware() {
  const gl = document.createElement('canvas').getContext('webgl2');
  const facts = gl?.getExtension('WEBGL_debug_renderer_info');
  const name = facts ? gl.getParameter(facts.UNMASKED_RENDERER_WEBGL) : '';
  gl?.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
}

export class View {
  // Throws where the browser gives no WebGL.
  constructor(canvas) {
    this.canvas = canvas;
    const isSlow = drawsInSoftware();
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: !isSlow, alpha: true });
    this.pixelRatioMost = isSlow ? 1 : pixelRatioMost;
    this.scene = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(35, 1, 0.001, 100);
    this.scene.add(new THREE.HemisphereLight(0xffffff, 0x8896a8, 1.6));
    this.lamp = new THREE.DirectionalLight(0xffffff, 1.9);
    this.camera.add(this.lamp);
    this.lamp.position.set(-0.6, 1, 0.4);
    this.scene.add(this.camera);
    this.marks = new Marks();
    this.scene.add(this.marks.group);
    this.bodies = new Map();
    this.look = { wireframe: false, colour: 'plain' };
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener('change', () => { this.isStale = true; });
    this.raycaster = new THREE.Raycaster();
    this.size = 0.1;
    this.isStale = true;
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
    this.resize();
  }

  resize() {
    const { clientWidth, clientHeight } = this.canvas.parentElement;
    if (!clientWidth || !clientHeight) return;
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, this.pixelRatioMost));
    this.renderer.setSize(clientWidth, clientHeight, false);
    this.camera.aspect = clientWidth / clientHeight;
    this.camera.updateProjectionMatrix();
    this.isStale = true;
  }

  clear() {
    for (const drawn of this.bodies.values()) {
      this.scene.remove(drawn.object);
      drawn.dispose();
    }
    this.bodies.clear();
    this.marks.clear();
    this.isStale = true;
  }

  // Whole bodies are made anew, others updated.
  setBody(body) {
    const known = this.bodies.get(body.id);
    if (known && !body.triangles) known.update(body);
    if (!body.triangles) return;
    const drawn = drawBody(body);
    if (!drawn) return;
    drawn.look(this.look);
    this.bodies.set(body.id, drawn);
    this.scene.add(drawn.object);
  }

  setLook(look) {
    Object.assign(this.look, look);
    for (const drawn of this.bodies.values()) drawn.look(this.look);
    this.isStale = true;
  }

  show(frame) {
    if (frame.hand) this.marks.setHand(frame.hand);
    if (frame.contacts) this.marks.setContacts(frame.contacts);
    if (frame.limited) this.marks.setLimited(frame.limited, this.bodies);
    if (frame.trust) this.marks.setTrust(frame.trust);
    this.isStale = true;
  }

  bounds() {
    const box = new THREE.Box3();
    for (const drawn of this.bodies.values()) box.expandByObject(drawn.object);
    return box.isEmpty() ? new THREE.Box3(new THREE.Vector3(-0.05, -0.05, -0.05), new THREE.Vector3(0.05, 0.05, 0.05)) : box;
  }

  // From above and to the side, so that the bounding ball fills the view.
  fit() {
    const box = this.bounds();
    const ball = box.getBoundingSphere(new THREE.Sphere());
    this.size = 1.4 * ball.radius;
    this.marks.setSize(this.size);
    const half = Math.tan((this.camera.fov * Math.PI) / 360) * Math.min(1, this.camera.aspect);
    const extent = box.getSize(new THREE.Vector3());
    const flat = extent.z < 0.02 * this.size;
    const direction = flat ? new THREE.Vector3(0.25, -0.55, 1) : new THREE.Vector3(0.55, 0.5, 1);
    this.camera.up.set(0, 1, 0);
    this.camera.position.copy(ball.center).addScaledVector(direction.normalize(), (0.92 * ball.radius) / half);
    this.camera.near = 0.02 * ball.radius;
    this.camera.far = 60 * ball.radius;
    this.camera.updateProjectionMatrix();
    this.controls.target.copy(ball.center);
    this.controls.update();
    this.isStale = true;
  }

  // The ray through a point of the page.
  ray(clientX, clientY) {
    const box = this.canvas.getBoundingClientRect();
    const at = new THREE.Vector2(((clientX - box.left) / box.width) * 2 - 1, 1 - ((clientY - box.top) / box.height) * 2);
    this.camera.updateMatrixWorld();
    this.raycaster.setFromCamera(at, this.camera);
    return this.raycaster.ray;
  }

  // Where the ray first meets a body, or null.
  pick(clientX, clientY) {
    this.ray(clientX, clientY);
    const targets = [...this.bodies.values()].map((drawn) => drawn.target).filter(Boolean);
    const hit = this.raycaster.intersectObjects(targets, false)[0];
    return hit ? hit.point.clone() : null;
  }

  // A point's place on the stage, in pixels.
  project(point) {
    const p = new THREE.Vector3(...point).project(this.camera);
    return { x: (0.5 + 0.5 * p.x) * this.canvas.clientWidth, y: (0.5 - 0.5 * p.y) * this.canvas.clientHeight, isAhead: p.z < 1 };
  }

  render() {
    if (!this.isStale) return;
    this.isStale = false;
    this.renderer.render(this.scene, this.camera);
  }

  picture() {
    this.isStale = true;
    this.render();
    return this.canvas.toDataURL('image/png');
  }
}
