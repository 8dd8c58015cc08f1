// SPDX-License-Identifier: Apache-2.0
// Reads a file with one frame as the page does, and prints what is in it: node decode.js FILE
import { readFileSync } from 'node:fs';
import { readFrame } from '../../viewer/src/frame.js';

const file = readFileSync(process.argv[2]);
const frame = readFrame(file.buffer.slice(file.byteOffset, file.byteOffset + file.length));
const micro = (value) => Math.round(1e6 * value);
console.log(`frame ${frame.number} epoch ${frame.epoch} t ${frame.t} bodies ${frame.bodies.length}`);
for (const body of frame.bodies.filter((each) => each.positions))
  console.log(`body ${body.id} kind ${body.kind} vertices ${body.positions.length / 3} triangles ${[...body.triangles ?? []]} field ${body.fieldName} name ${body.name}`);
let last = null;
for (const body of frame.bodies.filter((each) => each.poses)) {
  console.log(`poses ${body.id} kind ${body.kind} count ${body.count} radius ${micro(body.radius)}`);
  last = body;
}
for (let i = 0; i < last.count; i++) console.log([...last.poses.subarray(7 * i, 7 * i + 7)].join(' '));
