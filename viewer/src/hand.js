// SPDX-License-Identifier: Apache-2.0
// The mouse, or a finger, as a haptic device. If the pointer is on a body, the hand hovers in front of
// it; while the button is down, the hand moves to `depth` below the surface along the line of sight. The
// pose is sent continuously, also at rest, so that the device does not become stale.
//
// The engine interpolates between two samples on a straight line. Therefore each sample is at most a
// short step from the previous one, however late the timer is, and to another part of the scene the hand
// moves around the bodies: back along the line of sight to the front of all bodies, across, and forward
// along the new line of sight. After each of these segments it waits for the proxy, which may lag behind
// because of an old contact description and would then take a direct path through a body and deform it.
//
// With tools and wires the hand does not move while no button is down, and can be dragged perpendicular
// to the line of sight; the wheel moves it along.
//
// A double-click presses, as long as it takes to touch, with button 0 of the device down until the next
// double-click: what is touched is picked up. Meanwhile the hand moves only while it is dragged.
//
// A tool makes contact with its point that is farthest along the line of sight: this point is placed at
// the pointer, and the hand is offset from it.
//
// Two fingers that touch down together control the view. A second finger that touches down later rotates
// the hand if it holds a tool or a wire, otherwise it also controls the view.
import * as THREE from 'three';
import { handMessage } from './frame.js';

const sendPeriod = 16; // ms
const pressTime = 150; // ms from hovering to full depth
const speedMax = 1; // m/s, the limit of the device (src/device/browser.c)
const touchTime = 500; // ms, from a double-click until the hand has touched what it picks up
const doubleTime = 400; // ms between the two clicks of a double-click
const doubleDistance = 8; // pixels, likewise
const waitMax = 100; // ticks, for the proxy
const detourDistance = 2; // hovering distances: a farther goal is reached around the bodies
const rotationPerPixel = 0.01; // rad
const rotationPerKey = 0.05; // rad
const simultaneous = 250; // ms between two fingers that control the view
const depthMax = 0.006; // m, and at most a tenth of the scene
const depthMaxSoft = 0.02; // m, if there is a soft body
const hoverHeight = 0.06; // relative to the scene's size
const graspRadius = 16; // pixels around the hand, for dragging it with tools and wires
const graspRadiusFree = 40; // the same if the pointer is not on a body
const moves = { ArrowLeft: [-1, 0, 0], ArrowRight: [1, 0, 0], ArrowUp: [0, 1, 0], ArrowDown: [0, -1, 0], PageDown: [0, 0, -1], PageUp: [0, 0, 1] };
const rotations = { i: [-1, 0, 0], k: [1, 0, 0], j: [0, -1, 0], l: [0, 1, 0], u: [0, 0, 1], o: [0, 0, -1] };

export class Hand {
  constructor(view, send) {
    this.view = view;
    this.send = send;
    this.isDriving = false;
    this.canRotate = false; // whether the hand holds a tool or a wire
    this.index = 0; // of the hand that the mouse has
    this.position = null; // sent to the server; null until the first frame contains the hand
    this.orientation = new THREE.Quaternion();
    this.depthFraction = 0.4; // of the maximum depth
    this.pressing = null; // {pointer, began, elapsed ticks, x, y, isDrag: of the hand, isUp: let go}
    this.clicked = null; // {time, x, y} of the last click on a body
    this.isPicking = false; // from one double-click to the next
    this.point = null; // on the surface, under the pointer
    this.leg = 0; // segment of the path around the bodies: 1 back, 2 across, 3 forward; 0: none
    this.back = null; // end of its first segment
    this.waited = 0; // ticks at the end of a segment
    this.proxy = new THREE.Vector3(); // of the last frame
    this.sight = new THREE.Vector3(0, 0, -1);
    this.second = null; // {pointer, x, y}: the finger that rotates the hand
    this.isForwarding = false;
    const canvas = view.canvas;
    canvas.addEventListener('pointerdown', (event) => this.down(event), true);
    canvas.addEventListener('pointermove', (event) => this.move(event), true);
    for (const type of ['pointerup', 'pointercancel']) addEventListener(type, (event) => this.up(event), true);
    canvas.addEventListener('wheel', (event) => this.wheel(event), { capture: true, passive: false });
    canvas.addEventListener('keydown', (event) => this.key(event));
    setInterval(() => this.tick(), sendPeriod);
  }

  get hovering() { return hoverHeight * this.view.size; }
  get depthMax() { return Math.min(this.view.hasSoft ? depthMaxSoft : depthMax, 0.1 * this.view.size); }
  get depth() { return this.depthFraction * this.depthMax; }

  // A new scene: the position is taken from the next frame.
  reset() {
    this.position = this.point = null;
    this.leg = 0;
    this.isPicking = false;
    this.release();
    this.orientation.identity();
  }

  update({ device, proxy, orientation }) {
    this.proxy.set(...proxy);
    if (this.position) return;
    this.position = new THREE.Vector3(...device);
    this.orientation.set(orientation.x, orientation.y, orientation.z, orientation.w);
  }

  down(event) {
    if (this.isForwarding) return;
    if (this.pressing && event.pointerId !== this.pressing.pointer) {
      const isLater = event.timeStamp - this.pressing.began > simultaneous;
      if (this.canRotate && isLater) this.second = { pointer: event.pointerId, x: event.clientX, y: event.clientY };
      else this.forwardToView();
      return;
    }
    if (event.button !== 0 || !this.isDriving || !this.position) return;
    const hit = this.view.pick(event.clientX, event.clientY);
    const isNear = this.isNear(event, this.canRotate ? (hit ? graspRadius : graspRadiusFree) : 0);
    if (!hit && !isNear) return;
    const isDouble = this.isDouble(event);
    if (isDouble) this.isPicking = !this.isPicking;
    if (isDouble && !this.isPicking) return; // let go
    const isDrag = isDouble ? false : isNear || this.isPicking;
    if (isDouble && !hit) return;
    this.view.controls.enabled = false;
    this.view.hold(true);
    this.view.canvas.setPointerCapture(event.pointerId);
    this.pressing = { pointer: event.pointerId, began: event.timeStamp, ticks: 0, x: event.clientX, y: event.clientY, isDrag };
    if (isDrag) this.leg = 0;
    this.aim(isDrag ? this.position.clone() : hit);
  }

  // Whether this is the second click of a double-click.
  isDouble(event) {
    const { timeStamp: time, clientX: x, clientY: y } = event;
    const last = this.clicked;
    const isDouble = !!last && time - last.time < doubleTime && Math.hypot(x - last.x, y - last.y) < doubleDistance;
    this.clicked = isDouble ? null : { time, x, y };
    return isDouble;
  }

  // Whether the pointer is within that many pixels of the hand.
  isNear(event, pixels) {
    const box = this.view.canvas.getBoundingClientRect();
    const { x, y, isAhead } = this.view.project(this.position.toArray());
    return isAhead && Math.hypot(event.clientX - box.left - x, event.clientY - box.top - y) < pixels;
  }

  // Releases the hand and forwards the first finger to the view, before it receives the second.
  forwardToView() {
    const { pointer, x, y } = this.pressing;
    this.release();
    this.isForwarding = true;
    this.view.canvas.dispatchEvent(new PointerEvent('pointerdown', { pointerId: pointer, pointerType: 'touch', clientX: x, clientY: y, bubbles: true }));
    this.isForwarding = false;
  }

  move(event) {
    if (this.second?.pointer === event.pointerId) {
      this.rotateByPixels(event.clientX - this.second.x, event.clientY - this.second.y);
      Object.assign(this.second, { x: event.clientX, y: event.clientY });
      return;
    }
    if (!this.isDriving || (this.pressing && event.pointerId !== this.pressing.pointer)) return;
    if (this.isPicking && !this.pressing?.isDrag) return;
    if (!this.pressing && (event.buttons !== 0 || event.pointerType !== 'mouse' || this.canRotate)) return;
    if (this.pressing && (event.altKey || event.shiftKey)) {
      if (event.altKey) this.rotateByPixels(event.clientX - this.pressing.x, event.clientY - this.pressing.y);
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
    if (this.isPicking && !this.pressing.isDrag) this.pressing.isUp = true; // it goes on until it has touched
    else this.release();
  }

  release() {
    if (this.pressing?.isDrag) this.point = null; // the hand does not move
    this.pressing = this.second = null;
    this.view.controls.enabled = true;
    this.view.hold(false);
  }

  aim(hit) {
    this.point = hit;
    this.sight.copy(hit).sub(this.view.camera.position).normalize();
  }

  // If the pointer is beside the body: in the plane through the last point, parallel to the screen.
  slide(event) {
    const facing = this.view.camera.getWorldDirection(new THREE.Vector3());
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(facing, this.point);
    const point = this.view.ray(event.clientX, event.clientY).intersectPlane(plane, new THREE.Vector3());
    if (point) this.aim(point);
  }

  wheel(event) {
    if (!this.pressing) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    const sign = -Math.sign(event.deltaY);
    if (this.pressing.isDrag) this.point.addScaledVector(this.sight, 0.01 * sign * this.view.size);
    else this.deepen(0.05 * sign);
  }

  deepen(change) {
    this.depthFraction = Math.min(Math.max(this.depthFraction + change, 0), 1);
    this.onDepth?.(this.depthFraction);
  }

  // By pixels to the right and down on the screen.
  rotateByPixels(dx, dy) {
    this.rotate([0, 1, 0], rotationPerPixel * dx);
    this.rotate([1, 0, 0], rotationPerPixel * dy);
  }

  // About an axis of the camera.
  rotate(axis, angle) {
    const rotation = new THREE.Quaternion().setFromAxisAngle(this.inWorld(axis), angle);
    this.orientation.premultiply(rotation).normalize();
  }

  inWorld(direction) { return new THREE.Vector3(...direction).applyQuaternion(this.view.camera.quaternion); }

  // Arrow keys move the hand in the plane of the screen, Page Up and Down along the line of sight;
  // letters rotate it.
  key(event) {
    const direction = moves[event.key];
    const axis = rotations[event.key.toLowerCase()];
    if ((!direction && !axis) || event.ctrlKey || event.metaKey || event.altKey || !this.isDriving || !this.position) return;
    event.preventDefault();
    event.stopPropagation();
    if (axis) {
      this.rotate(axis, (event.shiftKey ? 4 : 1) * rotationPerKey);
      return;
    }
    this.point = null;
    this.leg = 0;
    this.position.addScaledVector(this.inWorld(direction), (event.shiftKey ? 0.02 : 0.005) * this.view.size);
  }

  // The vector from the hand to the contact point of the tool.
  toContactPoint() { return this.view.farthest(this.sight, this.orientation, this.index); }

  // The point on the line of sight to p in front of all bodies; near the camera if the camera is among
  // them.
  inFrontOfBodies(p) {
    const { centre, radius } = this.view;
    const eye = this.view.camera.position;
    const facing = eye.clone().sub(centre).normalize();
    const sight = eye.clone().sub(p);
    const front = radius + this.hovering + this.toContactPoint().length() - facing.dot(p.clone().sub(centre));
    const fraction = front / facing.dot(sight);
    return p.clone().addScaledVector(sight, fraction >= 0 ? Math.min(fraction, 0.9) : 0);
  }

  // Moves one step towards the goal; returns whether it is reached.
  stepTo(goal) {
    const offset = goal.clone().sub(this.position);
    const stepMax = 1e-3 * sendPeriod * speedMax;
    const isReached = offset.length() <= stepMax;
    this.position.add(isReached ? offset : offset.setLength(stepMax));
    return isReached;
  }

  follow() {
    if (this.pressing?.isDrag) {
      this.stepTo(this.point);
      return;
    }
    const hoverPoint = this.point.clone().addScaledVector(this.sight, -this.hovering).sub(this.toContactPoint());
    if (!this.leg && !this.pressing?.ticks && this.position.distanceTo(hoverPoint) > detourDistance * this.hovering) {
      this.leg = 1;
      this.back = this.inFrontOfBodies(this.position);
    }
    if (this.leg) {
      const goal = this.leg === 1 ? this.back : this.leg === 2 ? this.inFrontOfBodies(hoverPoint) : hoverPoint;
      this.waited = this.stepTo(goal) ? this.waited + 1 : 0;
      const hasProxyArrived = this.proxy.distanceTo(goal) < 0.2 * this.hovering;
      if (this.waited && (hasProxyArrived || this.waited > waitMax)) {
        this.leg = (this.leg + 1) % 4;
        this.waited = 0;
      }
      return;
    }
    const progress = this.pressing ? Math.min((++this.pressing.ticks * sendPeriod) / pressTime, 1) : 0;
    const ease = progress * progress * (3 - 2 * progress);
    this.stepTo(hoverPoint.addScaledVector(this.sight, ease * (this.depth + this.hovering)));
    if (this.isPicking && this.pressing?.ticks * sendPeriod > touchTime) this.hold();
  }

  // What was touched is held: from now on the hand is dragged.
  hold() {
    const { isUp } = this.pressing;
    this.pressing.isDrag = true;
    this.point = this.position.clone();
    if (isUp) this.release();
  }

  tick() {
    if (!this.isDriving || !this.position) return;
    if (this.point) this.follow();
    this.send(handMessage(this.position, this.orientation, (this.isPicking ? 1 : 0) + (this.pressing ? 2 : 0)));
  }
}
