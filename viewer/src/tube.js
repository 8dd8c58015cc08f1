// SPDX-License-Identifier: Apache-2.0
// A wire as a tube: rings around a smooth curve through the nodes, oriented like the nodes, with a stripe
// that shows the twist.
import * as THREE from 'three';

const sides = 10;
const ringsPerElement = 4; // from one node to the next

// Catmull-Rom: through b at u = 0 and c at u = 1, with the slopes of the neighbours.
function curve(a, b, c, d, u) {
  return b + 0.5 * u * (c - a + u * (2 * a - 5 * b + 4 * c - d + u * (3 * (b - c) + d - a)));
}

export class Tube {
  constructor(nodes, material) {
    this.nodes = nodes;
    this.rings = nodes < 2 ? 0 : (nodes - 1) * ringsPerElement + 1;
    this.reference = null; // the axis of the cross sections at the stripe
    const vertices = sides * (this.rings + 2); // separate rings for the end caps
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(3 * vertices), 3));
    geometry.setAttribute('normal', new THREE.BufferAttribute(new Float32Array(3 * vertices), 3));
    geometry.setAttribute('color', new THREE.BufferAttribute(this.stripe(vertices), 3));
    geometry.setIndex(this.faces());
    material.vertexColors = true;
    this.mesh = new THREE.Mesh(geometry, material);
    this.mesh.frustumCulled = false;
  }

  // One of the ten sides is darker.
  stripe(vertices) {
    return Float32Array.from({ length: 3 * vertices }, (_, i) => (Math.floor(i / 3) % sides === 0 ? 0.35 : 1));
  }

  faces() {
    const index = [];
    for (let ring = 0; ring + 1 < this.rings; ring++) {
      for (let k = 0; k < sides; k++) {
        const [a, b] = [ring * sides + k, ring * sides + ((k + 1) % sides)];
        index.push(a, b, a + sides, b, b + sides, a + sides);
      }
    }
    const [begin, end] = [this.rings * sides, (this.rings + 1) * sides];
    for (let k = 1; k + 1 < sides; k++) index.push(begin, begin + k + 1, begin + k, end, end + k, end + k + 1);
    return index;
  }

  // Beyond the ends the curve is extrapolated quadratically.
  node(poses, i, k) {
    const of = (j) => poses[7 * j + k];
    const last = this.nodes - 1;
    const third = Math.min(2, last);
    if (i < 0) return 3 * of(0) - 3 * of(1) + of(third);
    if (i > last) return 3 * of(last) - 3 * of(last - 1) + of(last - third);
    return of(i);
  }

  point(poses, at, out) {
    const i = Math.min(Math.floor(at), this.nodes - 2);
    const component = (k) => curve(this.node(poses, i - 1, k), this.node(poses, i, k), this.node(poses, i + 1, k), this.node(poses, i + 2, k), at - i);
    return out.set(component(0), component(1), component(2));
  }

  rotation(poses, at, out) {
    const i = Math.min(Math.floor(at), this.nodes - 2);
    const of = (node) => new THREE.Quaternion(poses[7 * node + 4], poses[7 * node + 5], poses[7 * node + 6], poses[7 * node + 3]);
    return out.slerpQuaternions(of(i), of(i + 1), at - i);
  }

  // The axis of the first cross section that is most perpendicular to the wire: the convention for the
  // axes is not fixed.
  across(poses) {
    const along = this.point(poses, 0.1, new THREE.Vector3()).sub(this.point(poses, 0, new THREE.Vector3())).normalize();
    const rotation = this.rotation(poses, 0, new THREE.Quaternion());
    const axes = [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map((axis) => new THREE.Vector3(...axis));
    const alignment = (axis) => Math.abs(axis.clone().applyQuaternion(rotation).dot(along));
    return axes.reduce((best, axis) => (alignment(axis) < alignment(best) ? axis : best));
  }

  // Sets a corner of an end cap, with its normal.
  close(end, k, corner, facing) {
    const vertex = (this.rings + end) * sides + k;
    this.mesh.geometry.getAttribute('position').setXYZ(vertex, corner.x, corner.y, corner.z);
    this.mesh.geometry.getAttribute('normal').setXYZ(vertex, facing.x, facing.y, facing.z);
  }

  bend(poses, radius) {
    if (!this.rings || poses.length !== 7 * this.nodes) return;
    this.reference ??= this.across(poses);
    const position = this.mesh.geometry.getAttribute('position');
    const normal = this.mesh.geometry.getAttribute('normal');
    const [here, before, after, side, other, out] = Array.from({ length: 6 }, () => new THREE.Vector3());
    const rotation = new THREE.Quaternion();
    for (let ring = 0; ring < this.rings; ring++) {
      const at = ring / ringsPerElement;
      this.point(poses, at, here);
      this.point(poses, Math.max(at - 0.1, 0), before);
      this.point(poses, Math.min(at + 0.1, this.nodes - 1), after);
      const along = after.sub(before).normalize();
      side.copy(this.reference).applyQuaternion(this.rotation(poses, at, rotation));
      side.addScaledVector(along, -side.dot(along)).normalize();
      other.crossVectors(along, side);
      for (let k = 0; k < sides; k++) {
        const angle = (2 * Math.PI * k) / sides;
        out.copy(side).multiplyScalar(Math.cos(angle)).addScaledVector(other, Math.sin(angle));
        normal.setXYZ(ring * sides + k, out.x, out.y, out.z);
        out.multiplyScalar(radius).add(here);
        position.setXYZ(ring * sides + k, out.x, out.y, out.z);
        if (ring === 0) this.close(0, k, out, along.clone().negate());
        if (ring === this.rings - 1) this.close(1, k, out, along);
      }
    }
    position.needsUpdate = normal.needsUpdate = true;
    this.mesh.geometry.computeBoundingBox();
    this.mesh.geometry.computeBoundingSphere();
  }
}
