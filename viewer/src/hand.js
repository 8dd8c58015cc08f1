// SPDX-License-Identifier: Apache-2.0
// The mouse, or a finger, as a haptic device. Where the pointer is on a body, the hand hovers before
// it; while the button is down the hand goes `depth` beyond the surface along the line of sight. The
// pose is sent steadily, also at rest, so that the engine knows that somebody holds the device.
//
// A hand that is to go to another side of a body goes around it: towards the camera, across, and down
// again. It would be caught on the way otherwise.
//
// Two fingers that come down together belong to the view. A second one that comes later turns the
// hand where it holds something that can be turned, else it too means the view.
import * as THREE from 'three';
import { handMessage } from './frame.js';

const sendEvery = 16; // ms
const pressTime = 150; // ms from hovering to full depth
const turnPerPixel = 0.01; // rad
const turnPerKey = 0.05; // rad
const together = 250; // ms between two fingers that mean the view
const deepest = 0.006; // m, at most, and at most a tenth of the scene
const deepestSoft = 0.02; // m, where something is soft
const hover = 0.06; // of the scene's size
const farOff = 0.15; // of the scene's size: what may be between is looked at
const near = 0.01; // of the scene's size: there
const moves = { ArrowLeft: [-1, 0, 0], ArrowRight: [1, 0, 0], ArrowUp: [0, 1, 0], ArrowDown: [0, -1, 0], PageDown: [0, 0, -1], PageUp: [0, 0, 1] };
const turns = { i: [-1, 0, 0], k: [1, 0, 0], j: [0, -1, 0], l: [0, 1, 0], u: [0, 0, 1], o: [0, 0, -1] };

export class Hand {
  constructor(view, send) {
    this.view = view;
    this.send = send;
    this.isDriving = false;
    this.turns = false; // whether the scene has something that turns with the hand
    this.position = null; // what is sent; null until the first frame says where the hand is
    this.device = new THREE.Vector3(); // where the engine has it
    this.route = []; // points to go through first
    this.orientation = new THREE.Quaternion();
    this.share = 0.4; // of the deepest
    this.pressing = null; // {pointer, began, since, x, y}: since it is before its point
    this.point = null; // on the surface, where the pointer is
    this.sight = new THREE.Vector3(0, 0, -1);
    this.second = null; // {pointer, x, y}: turns the hand
    this.isYielding = false;
    const canvas = view.canvas;
    canvas.addEventListener('pointerdown', (event) => this.down(event), true);
    canvas.addEventListener('pointermove', (event) => this.move(event), true);
    for (const type of ['pointerup', 'pointercancel']) addEventListener(type, (event) => this.up(event), true);
    canvas.addEventListener('wheel', (event) => this.wheel(event), { capture: true, passive: false });
    canvas.addEventListener('keydown', (event) => this.key(event));
    setInterval(() => this.tick(), sendEvery);
  }

  get deepest() { return this.view.hasSoft ? Math.min(deepestSoft, 0.15 * this.view.size) : Math.min(deepest, 0.1 * this.view.size); }
  get depth() { return this.share * this.deepest; }

  // A new scene: the hand is where the engine says.
  reset() {
    this.position = this.point = null;
    this.route = [];
    this.letGo();
    this.orientation.identity();
  }

  place(device, orientation) {
    this.device.set(...device);
    if (this.position) return;
    this.position = new THREE.Vector3(...device);
    this.orientation.set(orientation.x, orientation.y, orientation.z, orientation.w);
  }

  down(event) {
    if (this.isYielding) return;
    if (this.pressing && event.pointerId !== this.pressing.pointer) {
      const isLater = performance.now() - this.pressing.began > together;
      if (this.turns && isLater) this.second = { pointer: event.pointerId, x: event.clientX, y: event.clientY };
      else this.yieldToView();
      return;
    }
    const hit = event.button === 0 && this.isDriving ? this.view.pick(event.clientX, event.clientY) : null;
    if (!hit) return;
    this.view.controls.enabled = false;
    this.view.hold(true);
    this.view.canvas.setPointerCapture(event.pointerId);
    const now = performance.now();
    this.pressing = { pointer: event.pointerId, began: now, since: now, x: event.clientX, y: event.clientY };
    this.aim(hit);
  }

  // Lets go; the view hears of the first finger before it hears of the second.
  yieldToView() {
    const { pointer, x, y } = this.pressing;
    this.letGo();
    this.isYielding = true;
    this.view.canvas.dispatchEvent(new PointerEvent('pointerdown', { pointerId: pointer, pointerType: 'touch', clientX: x, clientY: y, bubbles: true }));
    this.isYielding = false;
  }

  move(event) {
    if (this.second?.pointer === event.pointerId) {
      this.turn(event.clientX - this.second.x, event.clientY - this.second.y);
      Object.assign(this.second, { x: event.clientX, y: event.clientY });
      return;
    }
    if (!this.isDriving || (this.pressing && event.pointerId !== this.pressing.pointer)) return;
    if (!this.pressing && (event.buttons !== 0 || event.pointerType !== 'mouse')) return;
    if (this.pressing && (event.altKey || event.shiftKey)) {
      if (event.altKey) this.turn(event.clientX - this.pressing.x, event.clientY - this.pressing.y);
      else this.deepen((event.clientY - this.pressing.y) / 200);
      Object.assign(this.pressing, { x: event.clientX, y: event.clientY });
      return;
    }
    if (this.pressing) Object.assign(this.pressing, { x: event.clientX, y: event.clientY });
    const hit = this.view.pick(event.clientX, event.clientY);
    if (hit) this.aim(hit);
    else if (this.point) this.slide(event);
  }

  up(event) {
    if (this.second?.pointer === event.pointerId) this.second = null;
    if (this.pressing?.pointer !== event.pointerId) return;
    this.letGo();
  }

  letGo() {
    this.pressing = this.second = null;
    this.view.controls.enabled = true;
    this.view.hold(false);
  }

  aim(hit) {
    this.point = hit;
    this.sight.copy(hit).sub(this.view.camera.position).normalize();
    const goal = this.before(hit);
    const isFar = goal.distanceTo(this.device) > farOff * this.view.size;
    if (this.route.length) this.route[this.route.length - 1] = this.view.inFront(goal);
    else if (isFar && this.view.isBetween(this.device, goal)) this.route = [this.view.inFront(this.device), this.view.inFront(goal)];
  }

  // Where the hand hovers.
  before(point) { return point.clone().addScaledVector(this.sight, -hover * this.view.size); }

  // Beside the body: in the plane through the last point that faces the camera.
  slide(event) {
    const facing = this.view.camera.getWorldDirection(new THREE.Vector3());
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(facing, this.point);
    const met = this.view.ray(event.clientX, event.clientY).intersectPlane(plane, new THREE.Vector3());
    if (met) this.aim(met);
  }

  wheel(event) {
    if (!this.pressing) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    this.deepen(-Math.sign(event.deltaY) * 0.05);
  }

  deepen(share) {
    this.share = Math.min(Math.max(this.share + share, 0), 1);
    this.onDepth?.(this.share);
  }

  // By so many pixels across and down the screen.
  turn(dx, dy) {
    this.rotate([0, 1, 0], turnPerPixel * dx);
    this.rotate([1, 0, 0], turnPerPixel * dy);
  }

  // About an axis of the camera.
  rotate(axis, angle) {
    const turn = new THREE.Quaternion().setFromAxisAngle(this.inWorld(axis), angle);
    this.orientation.premultiply(turn).normalize();
  }

  inWorld(way) { return new THREE.Vector3(...way).applyQuaternion(this.view.camera.quaternion); }

  // Arrow keys move the hand in the plane of the screen, Page Up and Down along the line of sight;
  // letters turn it.
  key(event) {
    const way = moves[event.key];
    const axis = turns[event.key.toLowerCase()];
    if ((!way && !axis) || event.ctrlKey || event.metaKey || event.altKey || !this.isDriving || !this.position) return;
    event.preventDefault();
    event.stopPropagation();
    if (axis) {
      this.rotate(axis, (event.shiftKey ? 4 : 1) * turnPerKey);
      return;
    }
    this.point = null;
    this.route = [];
    this.position.addScaledVector(this.inWorld(way), (event.shiftKey ? 0.02 : 0.005) * this.view.size);
  }

  tick() {
    if (!this.isDriving || !this.position) return;
    if (this.route.length) {
      this.position.copy(this.route[0]);
      if (this.device.distanceTo(this.route[0]) < near * this.view.size) this.route.shift();
      if (this.pressing) this.pressing.since = performance.now();
    } else if (this.point) {
      const since = this.pressing ? Math.min((performance.now() - this.pressing.since) / pressTime, 1) : 0;
      const ease = since * since * (3 - 2 * since);
      this.position.copy(this.before(this.point)).addScaledVector(this.sight, ease * (this.depth + hover * this.view.size));
    }
    this.send(handMessage(this.position, this.orientation, this.pressing ? 1 : 0));
  }
}
