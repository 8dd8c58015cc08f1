// SPDX-License-Identifier: Apache-2.0
// What the tests of the page share: the program, the browser, a plain socket, and waiting.
// PAL_PICTURES=DIR keeps the pictures that are made.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const require = createRequire(join(process.cwd(), 'viewer', 'package.json'));
const { chromium } = require('playwright-core');
const scratch = mkdtempSync(join(tmpdir(), 'palpate-view-'));
const children = new Set();
export const pictures = process.env.PAL_PICTURES ?? join(process.env.PAL_BUILD ?? 'build', 'pictures');
mkdirSync(pictures, { recursive: true });
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(scratch, { recursive: true, force: true });
});

// s without what a test waits for: it has failed, however busy the machine is.
export const patience = 600;

export const inScratch = (name) => join(scratch, name);
export const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// Runs palpate view to its end: {code, output}.
export function runView(args) {
  const child = spawn(process.env.PALPATE, ['view', ...args], { env: { ...process.env, XDG_STATE_HOME: scratch } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => { output += data; });
  setTimeout(() => child.kill('SIGKILL'), 1000 * patience).unref();
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, output })));
}

// Starts palpate view and resolves to {url, port, token, stop()} once it serves. To end takes it a
// second or two: whoever does not need its port or its exit code need not wait.
export function startServer(args, { port = 0 } = {}) {
  const all = ['view', ...args, '--port', String(port), '--out', inScratch('recordings')];
  const child = spawn(process.env.PALPATE, all, { env: { ...process.env, XDG_STATE_HOME: scratch } });
  children.add(child);
  let output = '';
  const ended = new Promise((resolve) => child.once('exit', (code) => { children.delete(child); resolve(code); }));
  const stop = () => { child.kill('SIGTERM'); return ended; };
  return new Promise((resolve, reject) => {
    const read = (data) => {
      output += data;
      const found = output.match(/http:\/\/\S+:(\d+)\/\?token=(\w+)/);
      if (found) resolve({ url: found[0], port: Number(found[1]), token: found[2], stop });
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    ended.then((code) => reject(new Error(`palpate view ended with ${code}: ${output}`)));
  });
}

export function startBrowser(flags = ['--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader']) {
  return chromium.launch({
    executablePath: '/usr/bin/chromium',
    timeout: 1000 * patience,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync', ...flags],
  });
}

// Waits until `check` gives something true, and gives it.
export async function until(what, check) {
  const end = Date.now() + 1000 * patience;
  let last;
  while (Date.now() < end) {
    last = await check();
    if (last) return last;
    await pause(40);
  }
  throw new Error(`waited ${patience} s in vain: ${what} (last: ${JSON.stringify(last)})`);
}

// A socket without a browser: on.frame(number, bytes) for each binary message.
export class PlainSocket {
  static all = new Set();

  constructor({ port, token }, on) {
    PlainSocket.all.add(this);
    this.on = on;
    this.received = Buffer.alloc(0);
    this.isOpen = false;
    this.socket = connect(port, '127.0.0.1', () => this.socket.write(
      `GET /socket?token=${token} HTTP/1.1\r\nHost: localhost:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n`
      + `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\nSec-WebSocket-Version: 13\r\n\r\n`));
    this.socket.on('data', (data) => this.take(data));
    this.socket.on('error', () => {});
  }

  take(data) {
    this.received = Buffer.concat([this.received, data]);
    if (!this.isOpen) {
      const end = this.received.indexOf('\r\n\r\n');
      if (end < 0) return;
      this.isOpen = true;
      this.received = this.received.subarray(end + 4);
    }
    for (let message = this.next(); message; message = this.next())
      if (message.opcode === 2) this.on.frame?.(message.bytes.readUInt32LE(8), message.bytes);
  }

  // The next whole message, or null.
  next() {
    const bytes = this.received;
    if (bytes.length < 2) return null;
    let size = bytes[1] & 127;
    let head = 2;
    if (size === 126) [size, head] = bytes.length >= 4 ? [bytes.readUInt16BE(2), 4] : [Infinity, 4];
    else if (size === 127) [size, head] = bytes.length >= 10 ? [Number(bytes.readBigUInt64BE(2)), 10] : [Infinity, 10];
    if (bytes.length < head + size) return null;
    this.received = bytes.subarray(head + size);
    return { opcode: bytes[0] & 15, bytes: bytes.subarray(head, head + size) };
  }

  acknowledge(number) {
    const bytes = Buffer.alloc(14); // masked with zeros
    bytes.set([0x82, 0x88], 0);
    bytes[6] = 2;
    bytes.writeUInt32LE(number, 10);
    this.socket.write(bytes);
  }

  close() {
    PlainSocket.all.delete(this);
    this.socket.destroy();
  }
}
