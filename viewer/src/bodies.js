// SPDX-License-Identifier: Apache-2.0
// One way of drawing for each kind of body. A kind is a function that makes an object from the first
// whole description of a body:
//
//   object     what is added to the scene
//   target     what a ray is tested against, or null
//   update(b)  takes a later description: new positions, a new field
//   look(l)    takes {wireframe, colour}
//   dispose()
//
// A new kind is a function here and a line in `kinds`.
import * as THREE from 'three';
import { creased } from './crease.js';

const palette = [0x8fa9c4, 0xb9a48a, 0x93b59a, 0xb79bb5, 0xc2a3a0, 0x8fb5b5];

// Blue over white to red, for a value of 0..1.
function fieldColour(value, out) {
  const v = Math.min(Math.max(value, 0), 1);
  out.setHSL(0.62 - 0.62 * v, 0.75, 0.55);
}

function surfaceMaterial(id) {
  return new THREE.MeshLambertMaterial({ color: palette[id % palette.length], side: THREE.DoubleSide });
}

function surfaceLook(mesh, wires, look) {
  mesh.material.vertexColors = look.colour === 'field' && mesh.geometry.hasAttribute('color');
  mesh.material.needsUpdate = true;
  wires.visible = look.wireframe;
}

function wiresOf(geometry) {
  const material = new THREE.MeshBasicMaterial({ color: 0x000000, wireframe: true, transparent: true, opacity: 0.16 });
  const wires = new THREE.Mesh(geometry, material);
  wires.visible = false;
  return wires;
}

// A surface that stays as it is: sharp edges may look sharp.
function rigidSurface(body) {
  const { positions, normals, triangles } = creased(body.positions, body.triangles);
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.BufferAttribute(positions, 3));
  geometry.setAttribute('normal', new THREE.BufferAttribute(normals, 3));
  geometry.setIndex(new THREE.BufferAttribute(triangles, 1));
  const mesh = new THREE.Mesh(geometry, surfaceMaterial(body.id));
  const wires = wiresOf(geometry);
  mesh.add(wires);
  return {
    object: mesh,
    target: mesh,
    body,
    update() {},
    look: (look) => surfaceLook(mesh, wires, look),
    dispose() { geometry.dispose(); mesh.material.dispose(); wires.material.dispose(); },
  };
}

// A surface whose vertices move: smooth normals, computed with each change.
function softSurface(body) {
  const geometry = new THREE.BufferGeometry();
  const positions = new THREE.BufferAttribute(body.positions.slice(), 3);
  geometry.setAttribute('position', positions);
  geometry.setIndex(new THREE.BufferAttribute(body.triangles, 1));
  geometry.computeVertexNormals();
  const mesh = new THREE.Mesh(geometry, surfaceMaterial(body.id));
  const wires = wiresOf(geometry);
  mesh.add(wires);
  const drawn = {
    object: mesh,
    target: mesh,
    body,
    update(next) {
      positions.array.set(next.positions);
      positions.needsUpdate = true;
      body.positions = positions.array;
      geometry.computeVertexNormals();
      geometry.computeBoundingSphere();
      if (next.field) colourBy(geometry, next.field);
    },
    look: (look) => surfaceLook(mesh, wires, look),
    dispose() { geometry.dispose(); mesh.material.dispose(); wires.material.dispose(); },
  };
  if (body.field) colourBy(geometry, body.field);
  return drawn;
}

function colourBy(geometry, field) {
  let colours = geometry.getAttribute('color');
  if (!colours) {
    colours = new THREE.BufferAttribute(new Float32Array(3 * field.length), 3);
    geometry.setAttribute('color', colours);
  }
  const most = field.reduce((a, b) => Math.max(a, b), 1e-12);
  const colour = new THREE.Color();
  for (let i = 0; i < field.length; i++) {
    fieldColour(field[i] / most, colour);
    colours.setXYZ(i, colour.r, colour.g, colour.b);
  }
  colours.needsUpdate = true;
}

const kinds = { 1: rigidSurface, 2: softSurface };

export function drawBody(body) {
  return kinds[body.kind]?.(body) ?? null;
}
