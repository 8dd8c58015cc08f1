// SPDX-License-Identifier: Apache-2.0
// The mouse, or a finger, as a haptic device. Where the pointer is on a body, the hand hovers before
// it; while the button is down the hand goes `depth` beyond the surface along the line of sight. The
// pose is sent steadily, also at rest, so that the engine knows that somebody holds the device.
//
// Between two samples the engine's hand goes straight. So each is at most a short step from the one
// before, however late the timer is, and to another part of the scene the hand goes where nothing
// bars it: back along the line of sight to before all bodies, across, and in along the next one.
// At each turn it waits for the proxy, which an old contact description may hold back and which then
// takes the short way. Through a body it would take the surface along, and hook it.
//
// With tools and wires the hand stays where it is while no button is down, and can be dragged itself,
// across the line of sight; the wheel moves it along.
//
// A tool touches with the part of it that is farthest along the line of sight: that part goes where the
// pointer is, and the hand stays behind.
//
// Two fingers that come down together belong to the view. A second one that comes later turns the
// hand where it holds something that can be turned, else it too means the view.
import * as THREE from 'three';
import { handMessage } from './frame.js';

const sendEvery = 16; // ms
const pressTime = 150; // ms from hovering to full depth
const speedMost = 1; // m/s, the device's own limit (src/device/browser.c)
const waitMost = 100; // ticks, for the proxy
const leap = 2; // hovering distances: farther off is another part of the scene
const turnPerPixel = 0.01; // rad
const turnPerKey = 0.05; // rad
const together = 250; // ms between two fingers that mean the view
const deepest = 0.006; // m, at most, and at most a tenth of the scene
const deepestSoft = 0.02; // m, where something is soft
const hover = 0.06; // of the scene's size
const grasp = 16; // pixels from the hand that mean it, with tools and wires
const graspFar = 40; // the same where the pointer is on nothing else
const moves = { ArrowLeft: [-1, 0, 0], ArrowRight: [1, 0, 0], ArrowUp: [0, 1, 0], ArrowDown: [0, -1, 0], PageDown: [0, 0, -1], PageUp: [0, 0, 1] };
const turns = { i: [-1, 0, 0], k: [1, 0, 0], j: [0, -1, 0], l: [0, 1, 0], u: [0, 0, 1], o: [0, 0, -1] };

export class Hand {
  constructor(view, send) {
    this.view = view;
    this.send = send;
    this.isDriving = false;
    this.turns = false; // whether the scene has something that turns with the hand
    this.position = null; // what is sent; null until the first frame says where the hand is
    this.orientation = new THREE.Quaternion();
    this.share = 0.4; // of the deepest
    this.pressing = null; // {pointer, began, ticks at work, x, y, isDrag: of the hand itself}
    this.point = null; // on the surface, where the pointer is
    this.leg = 0; // of the way round the bodies: 1 back, 2 across, 3 in; 0: none
    this.back = null; // where its first leg ends
    this.waited = 0; // ticks at the end of a leg
    this.proxy = new THREE.Vector3(); // as the last frame has it
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

  get hovering() { return hover * this.view.size; }
  get deepest() { return Math.min(this.view.hasSoft ? deepestSoft : deepest, 0.1 * this.view.size); }
  get depth() { return this.share * this.deepest; }

  // A new scene: the hand is where the engine says.
  reset() {
    this.position = this.point = null;
    this.leg = 0;
    this.letGo();
    this.orientation.identity();
  }

  see({ device, proxy, orientation }) {
    this.proxy.set(...proxy);
    if (this.position) return;
    this.position = new THREE.Vector3(...device);
    this.orientation.set(orientation.x, orientation.y, orientation.z, orientation.w);
  }

  down(event) {
    if (this.isYielding) return;
    if (this.pressing && event.pointerId !== this.pressing.pointer) {
      const isLater = event.timeStamp - this.pressing.began > together;
      if (this.turns && isLater) this.second = { pointer: event.pointerId, x: event.clientX, y: event.clientY };
      else this.yieldToView();
      return;
    }
    if (event.button !== 0 || !this.isDriving || !this.position) return;
    const hit = this.view.pick(event.clientX, event.clientY);
    const isDrag = this.isNear(event, this.turns ? (hit ? grasp : graspFar) : 0);
    if (!hit && !isDrag) return;
    this.view.controls.enabled = false;
    this.view.hold(true);
    this.view.canvas.setPointerCapture(event.pointerId);
    this.pressing = { pointer: event.pointerId, began: event.timeStamp, ticks: 0, x: event.clientX, y: event.clientY, isDrag };
    if (isDrag) this.leg = 0;
    this.aim(isDrag ? this.position.clone() : hit);
  }

  // Whether the pointer is on the hand, or so many pixels from it.
  isNear(event, pixels) {
    const box = this.view.canvas.getBoundingClientRect();
    const { x, y, isAhead } = this.view.project(this.position.toArray());
    return isAhead && Math.hypot(event.clientX - box.left - x, event.clientY - box.top - y) < pixels;
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
    if (!this.pressing && (event.buttons !== 0 || event.pointerType !== 'mouse' || this.turns)) return;
    if (this.pressing && (event.altKey || event.shiftKey)) {
      if (event.altKey) this.turn(event.clientX - this.pressing.x, event.clientY - this.pressing.y);
      else this.deepen((event.clientY - this.pressing.y) / 200);
      Object.assign(this.pressing, { x: event.clientX, y: event.clientY });
      return;
    }
    if (this.pressing) Object.assign(this.pressing, { x: event.clientX, y: event.clientY });
    const hit = this.pressing?.isDrag ? null : this.view.pick(event.clientX, event.clientY);
    if (hit) this.aim(hit);
    else if (this.point) this.slide(event);
  }

  up(event) {
    if (this.second?.pointer === event.pointerId) this.second = null;
    if (this.pressing?.pointer !== event.pointerId) return;
    this.letGo();
  }

  letGo() {
    if (this.pressing?.isDrag) this.point = null; // it stays where it is
    this.pressing = this.second = null;
    this.view.controls.enabled = true;
    this.view.hold(false);
  }

  aim(hit) {
    this.point = hit;
    this.sight.copy(hit).sub(this.view.camera.position).normalize();
  }

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
    const way = -Math.sign(event.deltaY);
    if (this.pressing.isDrag) this.point.addScaledVector(this.sight, 0.01 * way * this.view.size);
    else this.deepen(0.05 * way);
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
    this.leg = 0;
    this.position.addScaledVector(this.inWorld(way), (event.shiftKey ? 0.02 : 0.005) * this.view.size);
  }

  // From the hand to what it touches with.
  reach() { return this.view.farthest(this.sight, this.orientation); }

  // On the line of sight to p, before all bodies; near the camera where it is among them.
  before(p) {
    const { centre, radius } = this.view;
    const eye = this.view.camera.position;
    const facing = eye.clone().sub(centre).normalize();
    const sight = eye.clone().sub(p);
    const front = radius + this.hovering + this.reach().length() - facing.dot(p.clone().sub(centre));
    const share = front / facing.dot(sight);
    return p.clone().addScaledVector(sight, share >= 0 ? Math.min(share, 0.9) : 0);
  }

  // One step towards the goal; whether it is there.
  stepTo(goal) {
    const way = goal.clone().sub(this.position);
    const most = 1e-3 * sendEvery * speedMost;
    const isThere = way.length() <= most;
    this.position.add(isThere ? way : way.setLength(most));
    return isThere;
  }

  follow() {
    if (this.pressing?.isDrag) {
      this.stepTo(this.point);
      return;
    }
    const rest = this.point.clone().addScaledVector(this.sight, -this.hovering).sub(this.reach());
    if (!this.leg && !this.pressing?.ticks && this.position.distanceTo(rest) > leap * this.hovering) {
      this.leg = 1;
      this.back = this.before(this.position);
    }
    if (this.leg) {
      const goal = this.leg === 1 ? this.back : this.leg === 2 ? this.before(rest) : rest;
      this.waited = this.stepTo(goal) ? this.waited + 1 : 0;
      const isTogether = this.proxy.distanceTo(goal) < 0.2 * this.hovering;
      if (this.waited && (isTogether || this.waited > waitMost)) {
        this.leg = (this.leg + 1) % 4;
        this.waited = 0;
      }
      return;
    }
    const share = this.pressing ? Math.min((++this.pressing.ticks * sendEvery) / pressTime, 1) : 0;
    const ease = share * share * (3 - 2 * share);
    this.stepTo(rest.addScaledVector(this.sight, ease * (this.depth + this.hovering)));
  }

  tick() {
    if (!this.isDriving || !this.position) return;
    if (this.point) this.follow();
    this.send(handMessage(this.position, this.orientation, this.pressing ? 1 : 0));
  }
}
