// SPDX-License-Identifier: Apache-2.0
// Bundles the page: node build.js DIRECTORY
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import esbuild from 'esbuild';

const directory = process.argv[2];
if (!directory) {
  console.error('usage: node build.js DIRECTORY');
  process.exit(2);
}
mkdirSync(directory, { recursive: true });
await esbuild.build({
  entryPoints: ['src/page.js', 'src/page.css'],
  outdir: directory,
  bundle: true,
  minify: true,
  format: 'esm',
  target: ['es2020'],
  legalComments: 'inline',
  logLevel: 'warning',
});
copyFileSync('src/index.html', join(directory, 'index.html'));
