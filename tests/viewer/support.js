// SPDX-License-Identifier: Apache-2.0
// What the tests of the page share: the program, the browser, and waiting for things to be true.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const require = createRequire(join(process.cwd(), 'viewer', 'package.json'));
const { chromium } = require('playwright-core');
export const program = process.env.PALPATE;
const scratch = mkdtempSync(join(tmpdir(), 'palpate-view-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

export const inScratch = (name) => join(scratch, name);

// Starts palpate view and resolves to {url, port, stop()} once it serves.
export function startServer(args, { port = 0 } = {}) {
  const child = spawn(program, ['view', ...args, '--port', String(port), '--out', inScratch('recordings')], {
    env: { ...process.env, XDG_STATE_HOME: scratch }, stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const stop = (signal = 'SIGTERM') => { child.kill(signal); return ended; };
  return new Promise((resolve, reject) => {
    const read = (data) => {
      output += data;
      const found = output.match(/http:\/\/\S+:(\d+)\/\?token=\w+/);
      if (found) resolve({ url: found[0], port: Number(found[1]), stop, child });
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    ended.then((code) => reject(new Error(`palpate view ended with ${code}: ${output}`)));
  });
}

export function findChromium() {
  return ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
}

export function startBrowser(flags = []) {
  return chromium.launch({
    executablePath: findChromium(),
    args: ['--no-sandbox', '--disable-gpu', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-quic', '--no-first-run',
      '--disable-background-networking', '--disable-component-update', '--disable-sync', ...flags],
  });
}

// Waits until `check` gives something true, and gives it.
export async function until(what, check, seconds = 10) {
  const end = Date.now() + 1000 * seconds;
  let last;
  while (Date.now() < end) {
    last = await check();
    if (last) return last;
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
  throw new Error(`waited ${seconds} s in vain: ${what} (last: ${JSON.stringify(last)})`);
}
