// SPDX-License-Identifier: Apache-2.0
// The colour map, the same for every field: zero has a neutral colour, and brightness decreases
// monotonically with the value, so that it is readable without colour vision.
import * as THREE from 'three';

export const stops = ['#c3cfdc', '#f0dfa6', '#f5b763', '#e6763d', '#b8262f', '#640d2a'];
const shades = 256;

const table = (() => {
  const colours = stops.map((stop) => new THREE.Color(stop));
  const rows = new Float32Array(3 * shades);
  const mixed = new THREE.Color();
  for (let i = 0; i < shades; i++) {
    const at = (i / (shades - 1)) * (stops.length - 1);
    const below = Math.min(Math.floor(at), stops.length - 2);
    mixed.lerpColors(colours[below], colours[below + 1], at - below).toArray(rows, 3 * i);
  }
  return rows;
})();

// Sets the vertex colours for a field; the value `top` has the last colour; origins[i] is the index of
// vertex i in the field.
export function colourBy(geometry, field, origins, top) {
  let colours = geometry.getAttribute('color');
  if (!colours) {
    colours = new THREE.BufferAttribute(new Float32Array(3 * origins.length), 3);
    geometry.setAttribute('color', colours);
  }
  const scale = (shades - 1) / top;
  origins.forEach((origin, i) => {
    const shade = 3 * Math.min(Math.max(Math.round(scale * field[origin]), 0), shades - 1);
    colours.setXYZ(i, table[shade], table[shade + 1], table[shade + 2]);
  });
  colours.needsUpdate = true;
}

// The smallest of 1, 2, 5 times a power of ten that is not below the value.
function roundUp(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * [1, 2, 5, 10].find((step) => step * power >= value * (1 - 1e-9));
}

const units = { displacement: { text: 'mm', scale: 1e3, min: 1e-4 }, stress: { text: 'kPa', scale: 1e-3, min: 1 } };

// The colour range: rounded, with hysteresis, and the same for all bodies.
export class Legend {
  constructor(element) {
    this.element = element;
    this.bar = element.querySelector('i');
    this.bar.style.background = `linear-gradient(to right, ${stops.join(', ')})`;
    this.name = 'plain';
    this.top = 1;
  }

  // Fits the range to the current fields of the bodies.
  fit(bodies) {
    const coloured = bodies.filter((body) => body?.field);
    const name = coloured[0]?.fieldName ?? 'plain';
    const unit = units[name];
    let largest = unit?.min ?? 0;
    for (const { field } of coloured) for (const value of field) if (value > largest) largest = value;
    const isSteady = name === this.name && largest <= this.top && largest >= 0.3 * this.top;
    this.element.hidden = name === 'plain';
    this.name = name;
    if (isSteady || !unit) return;
    this.top = roundUp(largest);
    this.element.querySelector('strong').textContent = name === 'stress' ? 'von Mises stress' : name;
    this.element.querySelector('output').textContent = `${+(unit.scale * this.top).toPrecision(3)} ${unit.text}`;
  }
}
