// SPDX-License-Identifier: Apache-2.0
// The 3-D view: bodies, markers, camera. Draws only after changes.
import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { drawBody, isWhole, rigidKind, softKind, toolKind } from './bodies.js';
import { Legend } from './colours.js';
import { Marks } from './marks.js';

const pixelRatioMax = 2;
const fillFraction = 0.86; // of the view, filled by the scene

// Whether rendering is in software; then the quality is reduced, unless the address has quality=fine.
function drawsInSoftware() {
  if (new URLSearchParams(location.search).get('quality') === 'fine') return false;
  const gl = document.createElement('canvas').getContext('webgl2');
  const facts = gl?.getExtension('WEBGL_debug_renderer_info');
  const name = facts ? gl.getParameter(facts.UNMASKED_RENDERER_WEBGL) : '';
  gl?.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
}

export class View {
  // Throws if WebGL is not available.
  constructor(canvas, legend) {
    this.canvas = canvas;
    this.legend = new Legend(legend);
    const isSlow = drawsInSoftware();
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: !isSlow, alpha: true });
    this.pixelRatioMax = isSlow ? 1 : pixelRatioMax;
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
    this.look = { wireframe: false, fieldTop: 1, size: 0.1 };
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.touches.TWO = THREE.TOUCH.DOLLY_ROTATE;
    this.controls.addEventListener('change', () => { this.isStale = true; });
    this.isTurned = false; // by the person, since fit()
    this.controls.addEventListener('start', () => { this.isTurned = true; });
    this.raycaster = new THREE.Raycaster();
    this.size = 0.1;
    this.centre = new THREE.Vector3(); // of the bodies, m
    this.radius = 0.07; // of their bounding sphere, m
    this.isStale = true;
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
    this.resize();
  }

  resize() {
    const { clientWidth, clientHeight } = this.canvas.parentElement;
    if (!clientWidth || !clientHeight) return;
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, this.pixelRatioMax));
    this.renderer.setSize(clientWidth, clientHeight, false);
    this.camera.aspect = clientWidth / clientHeight;
    this.camera.updateProjectionMatrix();
    this.isStale = true;
  }

  clear() {
    for (const id of [...this.bodies.keys()]) this.removeBody(id);
    this.legend.fit([]);
    this.marks.clear();
    this.isStale = true;
  }

  // Creates new bodies and updates existing ones.
  setBodies(bodies) {
    for (const body of bodies) {
      const known = this.bodies.get(body.id);
      if (known && !body.triangles) known.update(body);
      else if (isWhole(body)) this.addBody(body);
    }
    if (bodies.length) this.colour();
  }

  addBody(body) {
    const drawn = drawBody(body);
    if (!drawn) return;
    this.removeBody(body.id);
    drawn.look(this.look);
    this.bodies.set(body.id, drawn);
    this.scene.add(drawn.object);
  }

  removeBody(id) {
    const drawn = this.bodies.get(id);
    if (!drawn) return;
    this.scene.remove(drawn.object);
    drawn.dispose();
    this.bodies.delete(id);
  }

  get hasSoft() { return [...this.bodies.values()].some((drawn) => drawn.body.kind === softKind); }

  // How many bodies are placed by poses: none before the first ones arrive.
  get placedCount() { return [...this.bodies.values()].filter((drawn) => drawn.isFree).length; }

  // Whether there is a body to press.
  get hasTarget() { return [...this.bodies.values()].some((drawn) => drawn.target); }

  // Whether the hand holds a tool or a wire.
  get hasPose() { return [...this.bodies.values()].some((drawn) => drawn.moves); }

  // The point of the tool of that hand, in that orientation, that is farthest along `direction`, relative
  // to the hand; the origin without a tool.
  farthest(direction, orientation, hand) {
    const inTool = direction.clone().applyQuaternion(orientation.clone().invert());
    const best = new THREE.Vector3();
    for (const { body } of this.bodies.values()) {
      if (body.kind !== toolKind || body.name !== (hand ? `tool${hand}` : 'tool')) continue;
      for (let i = 0; i < body.positions.length; i += 3) {
        const [x, y, z] = body.positions.subarray(i, i + 3);
        if (inTool.x * x + inTool.y * y + inTool.z * z > inTool.dot(best)) best.set(x, y, z);
      }
    }
    return best.applyQuaternion(orientation);
  }

  colour() {
    this.legend.fit([...this.bodies.values()].map((drawn) => drawn.body));
    this.setLook({ fieldTop: this.legend.top });
  }

  setLook(look) {
    Object.assign(this.look, look);
    for (const drawn of this.bodies.values()) drawn.look(this.look);
    this.isStale = true;
  }

  show(frame) {
    this.marks.setHands(frame.hands);
    if (frame.contacts) this.marks.setContacts(frame.contacts);
    if (frame.limited) this.marks.setLimited(frame.limited, this.bodies);
    if (frame.trust) this.marks.setTrust(frame.trust);
    this.isStale = true;
  }

  // The bounds of all bodies; a rigid support much larger than the other bodies is ignored.
  bounds() {
    const [box, moving] = [new THREE.Box3(), new THREE.Box3()];
    for (const drawn of this.bodies.values()) {
      box.expandByObject(drawn.object);
      if (drawn.body.kind !== rigidKind || drawn.isFree) moving.expandByObject(drawn.object);
    }
    // Of nothing, or of bodies that are not placed yet, it is zero.
    const extent = (b) => b.getSize(new THREE.Vector3()).length();
    if (extent(moving) > 0 && extent(box) > 3 * extent(moving)) return moving;
    return extent(box) > 0 ? box : new THREE.Box3(new THREE.Vector3(-0.05, -0.05, -0.05), new THREE.Vector3(0.05, 0.05, 0.05));
  }

  // Views the scene from above and from the side, at the smallest distance that shows the bounding box.
  fit() {
    const box = this.bounds();
    const centre = box.getCenter(new THREE.Vector3());
    const radius = 0.5 * box.getSize(new THREE.Vector3()).length();
    this.size = 1.4 * radius;
    Object.assign(this, { centre, radius });
    this.marks.setSize(this.size);
    this.setLook({ size: this.size });
    const isFlat = box.max.z - box.min.z < 0.02 * this.size;
    const back = (isFlat ? new THREE.Vector3(0.25, -0.55, 1) : new THREE.Vector3(0.55, 0.5, 1)).normalize();
    const right = new THREE.Vector3(0, 1, 0).cross(back).normalize();
    const up = back.clone().cross(right);
    const half = fillFraction * Math.tan((this.camera.fov * Math.PI) / 360);
    let distance = 0;
    for (let i = 0; i < 8; i++) {
      const corner = new THREE.Vector3(i & 1 ? box.max.x : box.min.x, i & 2 ? box.max.y : box.min.y, i & 4 ? box.max.z : box.min.z).sub(centre);
      const reach = Math.max(Math.abs(corner.dot(right)) / (half * this.camera.aspect), Math.abs(corner.dot(up)) / half);
      distance = Math.max(distance, reach + corner.dot(back));
    }
    this.camera.up.set(0, 1, 0);
    this.camera.position.copy(centre).addScaledVector(back, distance);
    this.camera.near = 0.02 * radius;
    this.camera.far = 60 * radius;
    this.camera.updateProjectionMatrix();
    this.controls.target.copy(centre);
    this.controls.update();
    this.isTurned = false;
    this.isStale = true;
  }

  // The ray through a position on the page.
  ray(clientX, clientY) {
    const box = this.canvas.getBoundingClientRect();
    const at = new THREE.Vector2(((clientX - box.left) / box.width) * 2 - 1, 1 - ((clientY - box.top) / box.height) * 2);
    this.camera.updateMatrixWorld();
    this.raycaster.setFromCamera(at, this.camera);
    return this.raycaster.ray;
  }

  // While a body is pressed, pick() uses its shape before the press.
  hold(isHeld) {
    for (const drawn of this.bodies.values()) drawn.hold(isHeld);
  }

  // The first intersection of the ray with a body, or null.
  pick(clientX, clientY) {
    this.ray(clientX, clientY);
    const targets = [...this.bodies.values()].map((drawn) => drawn.target).filter(Boolean);
    const hit = this.raycaster.intersectObjects(targets, false)[0];
    return hit ? hit.point.clone() : null;
  }

  // The screen position of a point, in pixels.
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
