// SPDX-License-Identifier: Apache-2.0
// Drawing functions, one for each kind of body. Each creates an object from the first description of a
// body:
//
//   object     the object added to the scene
//   target     the object for ray casting, or null
//   hold(h)    freezes the shape of the target while h is true: the pointer refers to the shape before
//              the press, not to the deformed one
//   moves      whether the hand moves it: it has a pose
//   update(b)  applies a later description: new positions, a new field, new poses
//   look(l)    applies {wireframe, fieldTop, size}: the field value of the last colour, and the extent
//              of the scene, m
//   dispose()
//
// To add a kind, write a function here and add it to `kinds`.
import * as THREE from 'three';
import { colourBy } from './colours.js';
import { creased } from './crease.js';
import { Tube } from './tube.js';

const palette = [0x8fa9c4, 0xb9a48a, 0x93b59a, 0xb79bb5, 0xc2a3a0, 0x8fb5b5];
const toolColour = 0xa7b0ba;
const wireColour = 0xc9a227;
const wireRadiusMin = 0.0015; // relative to the scene: about a pixel

function surfaceMaterial(colour) {
  return new THREE.MeshLambertMaterial({ color: colour, side: THREE.DoubleSide });
}

function wiresOf(geometry) {
  const material = new THREE.MeshBasicMaterial({ color: 0x000000, wireframe: true, transparent: true, opacity: 0.16 });
  const wires = new THREE.Mesh(geometry, material);
  wires.visible = false;
  return wires;
}

// Geometries of rigid meshes by their shape, each with the number of bodies that have it: a wall of
// bricks has one.
const shared = new Map();

// A mesh without its place: numbers of its triangles and of its vertices from the first one on, in
// millionths of its size, as a key.
function shapeKey({ positions, triangles }) {
  let size = 0;
  for (let i = 3; i < positions.length; i++) size = Math.max(size, Math.abs(positions[i] - positions[i % 3]));
  let [a, b] = [0x811c9dc5, 0x01000193];
  const mix = (value) => {
    a = Math.imul(a ^ value, 0x01000193);
    b = Math.imul(b + value, 0x85ebca6b) ^ (b >>> 13);
  };
  triangles.forEach(mix);
  for (let i = 3; i < positions.length; i++) mix(Math.round(1e6 * (positions[i] - positions[i % 3]) / size));
  return `${positions.length} ${triangles.length} ${size.toPrecision(6)} ${a} ${b}`;
}

// The geometry of a mesh with its first vertex at the origin, with sharp edges shaded sharp.
function takeGeometry(body) {
  const key = shapeKey(body);
  if (!shared.has(key)) {
    const { positions, normals, triangles } = creased(body.positions, body.triangles);
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.BufferAttribute(positions.map((x, i) => x - body.positions[i % 3]), 3));
    geometry.setAttribute('normal', new THREE.BufferAttribute(normals, 3));
    geometry.setIndex(new THREE.BufferAttribute(triangles, 1));
    shared.set(key, { geometry, users: 0 });
  }
  const entry = shared.get(key);
  entry.users++;
  const release = () => {
    if (--entry.users > 0) return;
    entry.geometry.dispose();
    shared.delete(key);
  };
  return { geometry: entry.geometry, release };
}

// A rigid mesh; `object` has its pose, and the mesh in it the place of the first vertex.
function rigidMesh(body, colour) {
  const { geometry, release } = takeGeometry(body);
  const mesh = new THREE.Mesh(geometry, surfaceMaterial(colour));
  const wires = wiresOf(geometry);
  mesh.add(wires);
  mesh.position.fromArray(body.positions, 0);
  const object = new THREE.Group();
  object.add(mesh);
  return {
    object,
    mesh,
    body,
    look: (look) => { wires.visible = look.wireframe; },
    dispose() { release(); mesh.material.dispose(); wires.material.dispose(); },
  };
}

function place(object, poses) {
  object.position.fromArray(poses, 0);
  object.quaternion.set(poses[4], poses[5], poses[6], poses[3]);
}

// A rigid object; one that moves has poses, and is darker while it sleeps (`radius` of its poses is 1).
function rigidSurface(body) {
  const colour = palette[body.id % palette.length];
  const drawn = rigidMesh(body, colour);
  const surface = {
    ...drawn,
    target: drawn.mesh,
    isFree: false,
    hold() {},
    update({ poses, radius }) {
      if (!poses) return;
      surface.isFree = true;
      place(drawn.object, poses);
      drawn.mesh.material.color.set(colour).multiplyScalar(radius > 0 ? 0.7 : 1);
    },
  };
  return surface;
}

function tool(body) {
  const drawn = rigidMesh(body, toolColour);
  drawn.object.visible = false; // until its pose is known
  return {
    ...drawn,
    target: null,
    moves: true,
    hold() {},
    update({ poses }) {
      if (!poses) return;
      place(drawn.object, poses);
      drawn.object.visible = true;
    },
  };
}

// A deformable surface: sharp edges are those of the first shape; normals are recomputed.
function softSurface(body) {
  const { positions: first, triangles, origins } = creased(body.positions, body.triangles);
  const geometry = new THREE.BufferGeometry();
  const positions = new THREE.BufferAttribute(first, 3);
  geometry.setAttribute('position', positions);
  geometry.setIndex(new THREE.BufferAttribute(triangles, 1));
  geometry.computeVertexNormals();
  const mesh = new THREE.Mesh(geometry, surfaceMaterial(palette[body.id % palette.length]));
  const wires = wiresOf(geometry);
  mesh.add(wires);
  const aimed = new THREE.BufferGeometry();
  aimed.setAttribute('position', new THREE.BufferAttribute(first.slice(), 3));
  aimed.setIndex(geometry.index);
  let isHeld = false;
  const aim = () => {
    aimed.getAttribute('position').array.set(positions.array);
    aimed.computeBoundingSphere();
  };
  const place = (next) => origins.forEach((origin, i) => positions.setXYZ(i, next[3 * origin], next[3 * origin + 1], next[3 * origin + 2]));
  return {
    object: mesh,
    target: new THREE.Mesh(aimed, mesh.material),
    body,
    hold(held) {
      isHeld = held;
      if (!held) aim();
    },
    update(next) {
      Object.assign(body, { positions: next.positions, field: next.field, fieldName: next.fieldName });
      place(next.positions);
      positions.needsUpdate = true;
      if (!isHeld) aim();
      geometry.computeVertexNormals();
      geometry.computeBoundingSphere();
    },
    look(look) {
      const isColoured = Boolean(body.field);
      if (isColoured) colourBy(geometry, body.field, origins, look.fieldTop);
      if (mesh.material.vertexColors !== isColoured) {
        mesh.material.vertexColors = isColoured;
        mesh.material.color.set(isColoured ? 0xffffff : palette[body.id % palette.length]);
        mesh.material.needsUpdate = true;
      }
      wires.visible = look.wireframe;
    },
    dispose() { geometry.dispose(); aimed.dispose(); mesh.material.dispose(); wires.material.dispose(); },
  };
}

// A wire has no mesh: it is created from the first poses. A wire that is too thin to be visible is drawn
// thicker.
function wire(body) {
  const tube = new Tube(body.count, surfaceMaterial(wireColour));
  let radiusMin = 0;
  const bend = () => tube.bend(body.poses, Math.max(body.radius, radiusMin));
  bend();
  return {
    object: tube.mesh,
    target: null,
    moves: true,
    body,
    hold() {},
    update(next) {
      Object.assign(body, next);
      bend();
    },
    look(look) {
      tube.mesh.material.wireframe = look.wireframe;
      if (radiusMin === wireRadiusMin * look.size) return;
      radiusMin = wireRadiusMin * look.size;
      bend();
    },
    dispose() { tube.mesh.geometry.dispose(); tube.mesh.material.dispose(); },
  };
}

const kinds = { 1: rigidSurface, 2: softSurface, 3: tool, 4: wire };
const wireKind = 4;
export const rigidKind = 1;
export const softKind = 2;
export const toolKind = 3;

// Whether a description is complete; later ones contain only changes.
export const isWhole = (body) => Boolean(body.triangles) || body.kind === wireKind;

export function drawBody(body) {
  return kinds[body.kind]?.(body) ?? null;
}
