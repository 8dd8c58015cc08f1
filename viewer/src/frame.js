// SPDX-License-Identifier: Apache-2.0
// Decodes frames and encodes messages; the formats are defined in src/live/frame.h and message.h.
const magic = 0x464c4150; // "PALF"
const version = 1;
export const tickColumns = ['fx', 'fy', 'fz', 'out', 'active', 'contacts', 'iterations', 'step', 'age', 'energy', 'held', 'handEnergy'];
export const fieldNames = ['plain', 'displacement', 'stress'];
const utf8 = new TextDecoder();

function readBody(buffer, at) {
  const [id, kind, vertexCount, triangleCount, fieldKind, nameBytes] = new Uint32Array(buffer, at, 6);
  const positions = new Float32Array(buffer, at + 24, 3 * vertexCount);
  let next = at + 24 + 12 * vertexCount;
  const triangles = triangleCount ? new Uint32Array(buffer, next, 3 * triangleCount) : null;
  next += 12 * triangleCount;
  const field = fieldKind ? new Float32Array(buffer, next, vertexCount) : null;
  next += fieldKind ? 4 * vertexCount : 0;
  const name = utf8.decode(new Uint8Array(buffer, next, nameBytes));
  return { id, kind, positions, triangles, field, fieldName: fieldNames[fieldKind], name };
}

// The pose of a tool, or those of a wire's nodes: rows of x, y, z and w, x, y, z.
function readPoses(buffer, at) {
  const [id, kind, count] = new Uint32Array(buffer, at, 3);
  return { id, kind, count, radius: new Float32Array(buffer, at + 12, 1)[0], poses: new Float32Array(buffer, at + 16, 7 * count) };
}

function readHand(buffer, at) {
  const f = new Float64Array(buffer, at, 19);
  const [active, rows, iterations, held, contacts] = new Uint32Array(buffer, at + 152, 5);
  const [w, x, y, z] = new Float64Array(buffer, at + 176, 4);
  return {
    device: f.slice(0, 3), proxy: f.slice(3, 6), force: f.slice(6, 9), torque: f.slice(9, 12),
    out: f.slice(12, 15), orientation: { w: f[15], x: f[16], y: f[17], z: f[18] },
    proxyOrientation: { w, x, y, z },
    active, rows, iterations, contacts, held: held !== 0,
  };
}

function readTicks(buffer, at) {
  const [count, columns, restart] = new Uint32Array(buffer, at, 3);
  const t0 = new Float64Array(buffer, at + 16, 1)[0];
  return { count, width: columns + 1, restart: restart !== 0, t0, rows: new Float32Array(buffer, at + 24, count * (columns + 1)) };
}

function readLimited(buffer, at) {
  const [count, sets] = new Uint32Array(buffer, at, 2);
  return {
    count, sets,
    words: new Uint32Array(buffer, at + 8, 2 * count),
    bytes: new Int8Array(buffer, at + 8, 8 * count),
  };
}

const readers = {
  1: (frame, buffer, at, size) => { frame.status = JSON.parse(utf8.decode(new Uint8Array(buffer, at, size))); },
  2: (frame, buffer, at) => { frame.bodies.push(readBody(buffer, at)); },
  3: (frame, buffer, at) => { frame.hands.push(readHand(buffer, at)); },
  4: (frame, buffer, at) => { frame.ticks = readTicks(buffer, at); },
  5: (frame, buffer, at) => {
    const count = new Uint32Array(buffer, at, 1)[0];
    frame.contacts = { count, rows: new Float32Array(buffer, at + 8, 10 * count) };
  },
  6: (frame, buffer, at) => { frame.limited = readLimited(buffer, at); },
  7: (frame, buffer, at, size) => { frame.trust = new Float32Array(buffer, at, size / 4); },
  8: (frame, buffer, at, size) => { frame.values = JSON.parse(utf8.decode(new Uint8Array(buffer, at, size))); },
  9: (frame, buffer, at) => { frame.bodies.push(readPoses(buffer, at)); },
  10: (frame, buffer, at) => { frame.hands.push(readHand(buffer, at)); },
};

export function readFrame(buffer) {
  const view = new DataView(buffer);
  if (view.getUint32(0, true) !== magic || view.getUint16(4, true) !== version)
    throw new Error('the server uses another protocol version; reload the page');
  const frame = {
    number: view.getUint32(8, true), epoch: view.getUint32(12, true), t: view.getFloat64(16, true),
    stream: view.getUint32(24, true), bodies: [], hands: [],
  };
  let at = 32;
  for (let i = view.getUint16(6, true); i > 0; i--) {
    const kind = view.getUint32(at, true);
    const size = view.getUint32(at + 4, true);
    readers[kind]?.(frame, buffer, at + 8, size);
    at += 8 + Math.ceil(size / 8) * 8;
  }
  return frame;
}

export function handMessage(position, orientation, buttons) {
  const view = new DataView(new ArrayBuffer(56));
  view.setUint8(0, 1);
  view.setUint32(4, buttons, true);
  view.setFloat64(8, performance.now() / 1000, true);
  [position.x, position.y, position.z].forEach((value, i) => view.setFloat64(16 + 8 * i, value, true));
  [orientation.w, orientation.x, orientation.y, orientation.z].forEach((value, i) => view.setFloat32(40 + 4 * i, value, true));
  return view.buffer;
}

export function ackMessage(number) {
  const view = new DataView(new ArrayBuffer(8));
  view.setUint8(0, 2);
  view.setUint32(4, number, true);
  return view.buffer;
}
