// SPDX-License-Identifier: Apache-2.0
// The markers: of each hand device, proxy, coupling, force and trust region; contacts and limited
// constraints. Their sizes scale with the scene.
import * as THREE from 'three';

const setColours = [0xe8590c, 0x2f9e44, 0x1971c2, 0x9c36b5, 0xe0a800, 0x0c8599].map((c) => new THREE.Color(c));
const idleColour = new THREE.Color(0x7b8794);
const contactsMax = 1024;
const contactsMany = 64; // from here on they are drawn smaller

function line(colour) {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(6), 3));
  return new THREE.Line(geometry, new THREE.LineBasicMaterial({ color: colour }));
}

function setLine(object, a, b) {
  const position = object.geometry.getAttribute('position');
  position.setXYZ(0, ...a);
  position.setXYZ(1, ...b);
  position.needsUpdate = true;
  object.geometry.computeBoundingSphere();
}

// Draws the object on top of everything, because the hand and proxy are often inside a body. Transparent
// objects are drawn after opaque ones.
function drawLast(object, order) {
  object.renderOrder = order;
  Object.assign(object.material, { depthTest: false, transparent: true });
}

function ball(colour, opacity) {
  const mesh = new THREE.Mesh(new THREE.SphereGeometry(1, 24, 16), new THREE.MeshLambertMaterial({ color: colour, opacity }));
  drawLast(mesh, 3);
  return mesh;
}

// A sphere as three circles, which do not hide its inside.
function hoops() {
  const group = new THREE.Group();
  const points = Array.from({ length: 65 }, (_, i) => [Math.cos((i * Math.PI) / 32), Math.sin((i * Math.PI) / 32)]);
  const material = new THREE.LineBasicMaterial({ color: 0x8a94a3, transparent: true, opacity: 0.7 });
  const planes = [(a, b) => [a, b, 0], (a, b) => [a, 0, b], (a, b) => [0, a, b]];
  for (const plane of planes) {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.Float32BufferAttribute(points.flatMap(([a, b]) => plane(a, b)), 3));
    group.add(new THREE.Line(geometry, material));
  }
  return group;
}

// One hand: device, proxy, the coupling between them, the force, and the trust region.
class HandMarks {
  constructor() {
    this.group = new THREE.Group();
    this.hand = ball(0x1c7ed6, 0.55);
    this.proxy = ball(0x2b8a3e, 1);
    this.coupling = line(0x1c7ed6);
    this.arrow = new THREE.ArrowHelper(new THREE.Vector3(0, 1, 0), new THREE.Vector3(), 1, 0xd9480f);
    for (const part of [this.arrow.line, this.arrow.cone]) drawLast(part, 4);
    this.axes = new THREE.AxesHelper(1);
    this.trust = hoops();
    this.group.add(this.coupling, this.hand, this.proxy, this.arrow, this.axes, this.trust);
    this.clear();
  }

  clear() {
    for (const object of this.group.children) object.visible = false;
  }

  setSize(size) {
    this.size = size;
    this.hand.scale.setScalar(0.014 * size);
    this.proxy.scale.setScalar(0.008 * size);
    this.axes.scale.setScalar(0.12 * size);
  }

  set(hand, layers) {
    this.hand.position.set(...hand.device);
    this.proxy.position.set(...hand.proxy);
    this.axes.position.copy(this.hand.position);
    this.axes.quaternion.set(hand.orientation.x, hand.orientation.y, hand.orientation.z, hand.orientation.w);
    setLine(this.coupling, hand.device, hand.proxy);
    const force = new THREE.Vector3(...hand.out);
    const newtons = force.length();
    // One newton is a seventh of the scene; the length is limited so that it stays in view.
    const length = this.size * Math.min(newtons / 7, 0.6);
    this.arrow.position.copy(this.hand.position);
    if (newtons > 1e-6) this.arrow.setDirection(force.normalize());
    this.arrow.setLength(Math.max(length, 1e-6), Math.min(0.05 * this.size, 0.4 * length), Math.min(0.03 * this.size, 0.25 * length));
    this.hand.visible = this.proxy.visible = this.coupling.visible = layers.hand;
    this.axes.visible = layers.axes;
    this.arrow.visible = layers.force && newtons > 0.02;
  }

  setTrust([x, y, z, radius], layers) {
    this.trust.visible = layers.trust && radius > 0 && Number.isFinite(radius) && radius < 3 * this.size;
    if (!this.trust.visible) return;
    this.trust.position.set(x, y, z);
    this.trust.scale.setScalar(radius);
  }
}

export class Marks {
  constructor() {
    this.group = new THREE.Group();
    this.hands = [];
    this.contacts = new THREE.InstancedMesh(new THREE.CylinderGeometry(1, 1, 0.15, 20), new THREE.MeshLambertMaterial({ color: 0xf08c00 }), contactsMax);
    this.contacts.count = 0;
    this.contacts.frustumCulled = false;
    this.forces = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: 0xd9480f }));
    this.forces.geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(6 * contactsMax), 3));
    this.forces.frustumCulled = false;
    drawLast(this.forces, 2);
    this.patch = new THREE.Mesh(new THREE.BufferGeometry(), new THREE.MeshBasicMaterial({
      vertexColors: true, transparent: true, opacity: 0.75, side: THREE.DoubleSide, polygonOffset: true, polygonOffsetFactor: -2, polygonOffsetUnits: -2,
    }));
    this.patch.frustumCulled = false;
    this.patch.renderOrder = 1;
    for (const object of [this.contacts, this.forces, this.patch]) {
      object.visible = false;
      this.group.add(object);
    }
    this.layers = { hand: true, force: true, contacts: true, patches: true, trust: true, axes: false };
    this.activeSets = 0;
    this.setSize(0.1);
  }

  // The extent of the scene, m.
  setSize(size) {
    this.size = size;
    for (const hand of this.hands) hand.setSize(size);
  }

  clear() {
    this.contacts.visible = this.forces.visible = this.patch.visible = false;
    for (const hand of this.hands) hand.clear();
    this.activeSets = 0;
  }

  handAt(index) {
    while (this.hands.length <= index) {
      const made = new HandMarks();
      made.setSize(this.size);
      this.hands.push(made);
      this.group.add(made.group);
    }
    return this.hands[index];
  }

  setHands(hands) {
    hands.forEach((hand, i) => this.handAt(i).set(hand, this.layers));
  }

  setContacts(contacts) {
    const up = new THREE.Vector3(0, 1, 0);
    const normal = new THREE.Vector3();
    const pose = new THREE.Matrix4();
    const rotation = new THREE.Quaternion();
    const count = Math.min(contacts.count, contactsMax);
    const scale = new THREE.Vector3().setScalar((count > contactsMany ? 0.008 : 0.025) * this.size);
    const ends = this.forces.geometry.getAttribute('position');
    for (let i = 0; i < count; i++) {
      const row = contacts.rows.subarray(10 * i, 10 * i + 10);
      rotation.setFromUnitVectors(up, normal.set(row[3], row[4], row[5]));
      this.contacts.setMatrixAt(i, pose.compose(new THREE.Vector3(row[0], row[1], row[2]), rotation, scale));
      // The force on the object, a quarter as long as that of the arrow at the hand, so that many are
      // told apart.
      const newtons = Math.hypot(row[6], row[7], row[8]);
      const length = newtons > 0 ? (this.size * Math.min(newtons / 28, 0.08)) / newtons : 0;
      ends.setXYZ(2 * i, row[0], row[1], row[2]);
      ends.setXYZ(2 * i + 1, row[0] + length * row[6], row[1] + length * row[7], row[2] + length * row[8]);
    }
    ends.needsUpdate = true;
    this.forces.geometry.setDrawRange(0, 2 * count);
    this.forces.visible = this.layers.contacts && this.layers.force && count > 0;
    this.contacts.count = count;
    this.contacts.instanceMatrix.needsUpdate = true;
    this.contacts.visible = this.layers.contacts && count > 0;
  }

  // As in Fig. 6 of the paper: grey for inactive constraints, coloured by convex set for active ones.
  setLimited(limited, bodies) {
    const positions = [];
    const colours = [];
    this.activeSets = limited.sets;
    for (let i = 0; i < limited.count; i++) {
      const triangle = limited.words[2 * i];
      const object = limited.words[2 * i + 1] & 0xffff;
      const set = limited.bytes[8 * i + 6];
      const kind = limited.bytes[8 * i + 7];
      const body = bodies.get(object)?.body;
      if (kind !== 0 || !body) continue;
      const colour = set < 0 ? idleColour : setColours[set % setColours.length];
      for (let k = 0; k < 3; k++) {
        const vertex = 3 * body.triangles[3 * triangle + k];
        positions.push(body.positions[vertex], body.positions[vertex + 1], body.positions[vertex + 2]);
        colours.push(colour.r, colour.g, colour.b);
      }
    }
    this.patch.geometry.dispose();
    this.patch.geometry = new THREE.BufferGeometry();
    this.patch.geometry.setAttribute('position', new THREE.Float32BufferAttribute(positions, 3));
    this.patch.geometry.setAttribute('color', new THREE.Float32BufferAttribute(colours, 3));
    this.patch.visible = this.layers.patches && positions.length > 0;
  }

  // Four numbers a hand: centre and radius.
  setTrust(trust) {
    for (let i = 0; 4 * i < trust.length; i++) this.handAt(i).setTrust(trust.subarray(4 * i, 4 * i + 4), this.layers);
  }
}
