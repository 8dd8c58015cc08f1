// SPDX-License-Identifier: Apache-2.0
// Pictures of the page at every size and of every scene; the documents and the gallery show them.
import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { arrowPixels, awaitScene, closePage, findBody, openPage, overlaps, press, runTests, state } from './person.js';
import { pause, pictures, startServer, until } from './support.js';

await runTests({
  async 'nothing is cut off from 360 pixels to 4K'(server) {
    for (const [width, height] of [[360, 740], [1280, 720], [3840, 2160]]) {
      const page = await openPage(server.url, { viewport: { width, height } });
      await awaitScene(page, 'touch');
      for (const colorScheme of ['light', 'dark']) {
        await page.emulateMedia({ colorScheme });
        await until('the theme', () => page.evaluate((name) => document.documentElement.dataset.theme === name, colorScheme));
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${width} px scroll sideways`);
        assert.deepEqual(await overlaps(page), []);
        await until('plots', () => page.locator('#plots canvas').count());
        await page.screenshot({ path: join(pictures, `page-${width}-${colorScheme}.png`), fullPage: width < 600 });
      }
      await closePage(page);
    }
  },

  // The scene's own hand draws the pictures of the gallery, soft bodies coloured by their stress; in
  // place of standard and penalty under accurate, which shows more. All where pictures are kept, else
  // every third scene.
  async 'shipped scenes have their pictures'() {
    const style = `.bar, .side, .plots, .readout, .hint, #felt { display: none !important; }
      #studio { height: 100vh !important; grid-template: 1fr / 1fr !important; grid-template-areas: 'stage' !important; }`;
    const server = await startServer(['--set', 'device.driver=replay']);
    const isKept = Boolean(process.env.PAL_PICTURES); // else quick ones do
    const page = await openPage(server.url + (isKept ? '&quality=fine' : ''), { viewport: { width: 400, height: 250 }, deviceScaleFactor: isKept ? 1.4 : 1 });
    const click = (id) => page.evaluate((which) => document.getElementById(which).click(), id);
    await page.addStyleTag({ content: style });
    const files = readdirSync('scenes').filter((name) => name.endsWith('.yaml'));
    for (const file of files.filter((_, i) => isKept || i % 3 === 0)) {
      const name = file.replace('.yaml', '');
      await page.locator(`.card[data-scene=${name}]`).click();
      await awaitScene(page, name);
      // Built anew once, and paused at its begin.
      const isOther = /standard|penalty/.test(await state(page, 's.status.method'));
      const epoch = await state(page, 's.epoch');
      await state(page, `(s.say('${isOther ? 'set method.name=accurate' : 'reset'}'), s.say('pause'))`);
      await until('the begin', () => state(page, `s.epoch !== ${epoch} && s.status?.mode === 'paused'`));
      await page.selectOption('#colour', 'stress', { force: true });
      // Step by step to where it pushes back, and on as long as it pushes harder, however slowly this
      // machine draws: nothing is drawn on the way.
      await state(page, 's.view.render = () => {}');
      const force = () => state(page, 'Math.hypot(...s.hand.out)');
      const step = async (count) => {
        const t = await state(page, 's.hand?.t ?? 0');
        await state(page, `s.say('step ${count}')`);
        await until(`${name} to step`, () => state(page, `s.hand?.t > ${t} + (${count} - 1.5) * s.status.dt`));
        return force();
      };
      let before = 0;
      for (let i = 0; i < 200 && before < 0.25; i++) before = await step(100);
      assert.ok(before > 0.25, `${name} does not push back`);
      for (let i = 0; i < 15; i++) {
        const now = await step(20);
        if (now < before) break;
        before = now;
      }
      await state(page, 'delete s.view.render');
      await click('fit');
      const isSoft = await state(page, 's.view.hasSoft');
      await until('the stress', async () => !isSoft || state(page, "s.view.legend.name === 'stress'"));
      // The arrow is seen, also where it starts within a dent, unless it is too short for that.
      await until(`${name} to show a force`, async () => (await force()) < 0.5 || (await arrowPixels(page)) > 5);
      const picture = await state(page, 's.view.picture()');
      writeFileSync(join(pictures, `${name}.png`), Buffer.from(picture.split(',')[1], 'base64'));
      await click('to-gallery');
    }
    await closePage(page);
    server.stop();
  },

  ...(process.env.PAL_PICTURES ? { 'the page at work has its picture': showPageAtWork } : {}),
});

// What the README and the documents show: the statue and the soft block under the mouse. Only where
// pictures are asked for.
async function showPageAtWork() {
  const server = await startServer(['scenes/statue.yaml', '--method', 'accurate', '--set', 'objects.0.shape.resolution=70']);
  for (const colorScheme of ['light', 'dark']) {
    const page = await openPage(`${server.url}&quality=fine`, { viewport: { width: 1280, height: 800 }, colorScheme });
    await awaitScene(page, 'statue');
    const at = await press(page);
    for (let i = 0; i < 8; i++) {
      await page.mouse.move(at.x, at.y + i);
      await pause(150);
    }
    await until('the plots', () => state(page, 's.plots.store.count > 3000'));
    await pause(300);
    await page.screenshot({ path: join(pictures, `viewer-${colorScheme}.png`) });
    await page.mouse.up();
    await closePage(page);
  }
  server.stop();
  // The soft one step by step: the same on every machine.
  const soft = await startServer(['scenes/block-soft.yaml', '--set', 'device.driver=replay']);
  const page = await openPage(`${soft.url}&quality=fine`, { viewport: { width: 1280, height: 800 } });
  await awaitScene(page, 'block-soft');
  await page.selectOption('#colour', 'stress');
  await state(page, "(s.say('reset'), s.say('pause'), s.say('step 1000'), s.say('step 400'))");
  await until('the steps', () => state(page, "s.status.mode === 'paused' && s.hand?.t > 1.39 && s.hand.t < 1.41"));
  await until('the stress', () => state(page, "s.view.legend.name === 'stress'"));
  await pause(500);
  await page.screenshot({ path: join(pictures, 'viewer-soft.png') });
  await closePage(page);
  soft.stop();
  // Two hands, of which the mouse has taken one in the air.
  const two = await startServer(['scenes/two-hands-block.yaml']);
  const pair = await openPage(`${two.url}&quality=fine`, { viewport: { width: 1280, height: 800 } });
  await awaitScene(pair, 'two-hands-block');
  await pair.selectOption('#colour', 'stress');
  await state(pair, "(s.say('reset'), s.say('pause'), s.say('step 1000'), s.say('step 1000'), s.say('step 1000'))");
  await until('the steps', () => state(pair, "s.status.mode === 'paused' && s.hand?.t > 2.99 && s.hand.t < 3.01"));
  await pair.selectOption('#choose', '1');
  await until('the hand', () => state(pair, 's.status.steered === 1'));
  await until('the stress', () => state(pair, "s.view.legend.name === 'stress'"));
  await pause(500);
  await pair.screenshot({ path: join(pictures, 'viewer-hands.png') });
  await closePage(pair);
  two.stop();
}
