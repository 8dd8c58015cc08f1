// SPDX-License-Identifier: Apache-2.0
// The page, end to end: scenes, values, recordings, people, servers.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { awaitScene, closePage, frames, mode, number, openPage, press, release, runTests, state, steady } from './person.js';
import { inScratch, patience, pictures, PlainSocket, runView, startBrowser, startServer, until } from './support.js';

await runTests({
  async 'from the gallery to a scene that pushes back'() {
    const server = await startServer([]);
    const page = await openPage(server.url);
    await page.locator('.card').first().waitFor();
    const scenes = readdirSync('scenes').filter((name) => name.endsWith('.yaml'));
    const shipped = scenes.length;
    assert.equal(await page.locator('.card').count(), shipped);
    assert.deepEqual(readdirSync('scenes/pictures'), scenes.map((name) => name.replace('.yaml', '.png')));
    // Each card has its picture, also those that are below the fold.
    await page.locator('.card img').evaluateAll((images) => images.forEach((image) => { image.loading = 'eager'; }));
    await until('all pictures', async () => (await page.locator('.card img').evaluateAll((images) => images.filter((image) => image.complete && image.naturalWidth > 0).length)) === shipped);
    await page.screenshot({ path: join(pictures, 'gallery.png'), fullPage: true });
    await page.locator('.card[data-scene=touch]').click();
    await awaitScene(page, 'touch');
    assert.equal(await number(page, 'contacts-value'), 0);
    await press(page);
    await until('contact rows', async () => (await number(page, 'contacts-value')) > 0);
    // One step a millisecond, none missing: a page that was slower than once in ten seconds waits for
    // the next second.
    await until('a second of steps', () => state(page, `(() => {
      const times = Array.from(s.plots.store.column(0)).slice(-1001);
      return times.length > 1000 && times.slice(1).every((t, i) => Math.abs(t - times[i] - 0.001) < 1e-5);
    })()`));
    assert.ok((await page.locator('#plots canvas').count()) >= 5);
    await release(page);
    await page.locator('#to-gallery').click();
    await page.locator('.card').first().waitFor();
    await closePage(page);
    assert.equal(await server.stop(), 0);
  },

  async 'the wheel presses deeper, and deeper is stronger and higher'(server) {
    const page = await openPage(server.url);
    await awaitScene(page, 'touch');
    await page.locator('#sound').click();
    await press(page);
    const before = await steady(page, () => number(page, 'force-value'));
    const tone = () => state(page, '({ pitch: s.sound.tone.frequency.value, loudness: s.sound.loudness.gain.value })');
    const low = await until('the tone', async () => { const now = await tone(); return now.loudness > 0.01 && now.pitch > 120 && now; });
    await page.mouse.wheel(0, -100);
    await page.mouse.wheel(0, -100);
    await page.mouse.wheel(0, -100);
    await until('more force', async () => (await number(page, 'force-value')) > before + 0.4);
    await until('a higher and louder tone', async () => { const now = await tone(); return now.pitch > 1.05 * low.pitch && now.loudness > low.loudness; });
    await release(page);
    await until('silence', async () => (await tone()).loudness < 1e-3);
    await closePage(page);
  },

  async 'another method colours its constraints'(server) {
    const page = await openPage(server.url);
    await awaitScene(page, 'touch');
    assert.equal(await state(page, 's.view.marks.patch.visible'), false);
    await page.selectOption('#controls [name="method.name"]', 'accurate');
    await until('the method', () => state(page, "s.status.method === 'accurate'"));
    await awaitScene(page, 'touch');
    await press(page);
    // Grey for those known, other colours for those that act.
    await until('coloured constraints', () => state(page, `(() => {
      if (!(s.sets > 0 && s.view.marks.patch.visible)) return false;
      const c = s.view.marks.patch.geometry.getAttribute('color').array;
      const seen = new Set();
      for (let i = 0; i < c.length; i += 9) seen.add(c.slice(i, i + 3).join());
      return seen.size >= 2;
    })()`));
    await release(page);
    await page.locator('#copy').click();
    assert.match(await page.textContent('#command'), /^palpate view \S*touch\.yaml --set method\.name=accurate$/);
    await page.selectOption('#controls [name="method.name"]', 'standard');
    await until('the method', () => state(page, "s.status.method === 'standard'"));
    await closePage(page);
  },

  async 'the view turns, moves, zooms and fits, and gives its picture'(server) {
    const page = await openPage(server.url);
    await awaitScene(page, 'touch');
    const box = await page.locator('#view').boundingBox();
    const drag = async (button) => {
      await page.mouse.move(box.x + 30, box.y + box.height - 60);
      await page.mouse.down({ button });
      await page.mouse.move(box.x + 110, box.y + box.height - 40, { steps: 4 });
      await page.mouse.up({ button });
    };
    // Where the camera is, and what it looks at, as one list.
    const camera = () => state(page, '[...s.view.camera.position.toArray(), ...s.view.controls.target.toArray()]');
    const apart = (a, b) => Math.hypot(...a.map((x, i) => x - b[i]));
    const distance = (c) => apart(c.slice(0, 3), c.slice(3));
    const first = await camera();
    await drag('left');
    const turned = await camera();
    assert.ok(apart(first.slice(3), turned.slice(3)) < 1e-9 && apart(first, turned) > 0.1 * distance(first), 'turned about the same point');
    assert.ok(Math.abs(distance(turned) / distance(first) - 1) < 1e-6);
    await drag('right');
    const moved = await camera();
    const shift = (from) => moved.slice(from, from + 3).map((x, i) => x - turned[from + i]);
    assert.ok(Math.hypot(...shift(3)) > 0.02 * distance(first) && apart(shift(0), shift(3)) < 1e-9, 'moved as a whole');
    await page.mouse.wheel(0, -300);
    await until('a nearer view', async () => distance(await camera()) < 0.95 * distance(moved));
    await page.keyboard.press('f');
    await until('the view as it was', async () => apart(await camera(), first) < 1e-6);
    const download = page.waitForEvent('download');
    await page.locator('#screenshot').click();
    assert.equal((await download).suggestedFilename(), 'touch-standard.png');
    assert.deepEqual([...readFileSync(await (await download).path()).subarray(1, 4)], [...Buffer.from('PNG')]);
    // Plots that are held stay as they are, while the samples go on.
    await page.locator('#freeze').click();
    const drawn = () => page.evaluate(() => document.querySelector('#plots canvas').toDataURL());
    const [held, t] = [await steady(page, drawn), await state(page, 's.plots.store.latest')];
    await until('half a second', async () => (await state(page, 's.plots.store.latest')) > t + 0.5);
    assert.equal(await drawn(), held);
    await page.locator('#freeze').click();
    await until('plots that move', async () => (await drawn()) !== held);
    await closePage(page);
  },

  async 'a value that is out of range is refused with its reason'(server) {
    const page = await openPage(server.url);
    await awaitScene(page, 'touch');
    await page.fill('#controls [name="coupling.stiffness"]', '-3');
    await page.press('#controls [name="coupling.stiffness"]', 'Enter');
    await until('the reason', async () => /out of range/.test(await page.textContent('#banner')));
    assert.equal(await mode(page), 'running');
    await closePage(page);
  },

  async 'a recording is shown again as it was'(server) {
    const page = await openPage(server.url);
    await awaitScene(page, 'touch');
    await page.locator('#record').click();
    await until('the recording', () => state(page, "s.status.recording === 'recording-1'"));
    await press(page);
    const pressedAt = await state(page, 's.hand.t');
    await until('half a second', () => state(page, `s.hand.t > ${pressedAt + 0.5}`));
    await release(page);
    await page.locator('#record').click();
    await until('its end', () => state(page, "s.status.recording === ''"));
    const [header, ...rows] = readFileSync(inScratch('recordings/recording-1/haptic.csv'), 'utf8').trim().split('\n').map((line) => line.split(','));
    assert.ok(rows.length > 300);
    const cell = (row, name) => Number(row[header.indexOf(name)]);
    await page.locator('#recordings button', { hasText: 'recording-1' }).click();
    await until('the replay', async () => (await mode(page)) === 'replay');
    await until('it to come to its end', () => state(page, 's.status.replay && !s.status.replay.playing'));
    for (const share of [0.1, 0.5, 0.9]) {
      const row = rows[Math.floor(share * rows.length)];
      const at = cell(row, 't') - cell(rows[0], 't');
      await page.locator('#replay-slider').evaluate((slider, value) => { slider.value = value; slider.dispatchEvent(new Event('input')); }, at + 1e-6);
      const shown = await until('the row', async () => {
        const time = Number(await page.textContent('#time-value'));
        return Math.abs(time - cell(row, 't')) < 0.006 && state(page, '({ device: [...s.hand.device], proxy: [...s.hand.proxy], out: [...s.hand.out] })');
      });
      // The slider moves in steps of a millisecond: the row is this one or the next to it.
      const near = rows.slice(Math.floor(share * rows.length) - 1, Math.floor(share * rows.length) + 2);
      const isSame = (candidate) => ['x', 'y', 'z'].every((axis, i) => shown.device[i] === cell(candidate, `dev_${axis}`)
        && shown.proxy[i] === cell(candidate, `proxy_${axis}`) && shown.out[i] === cell(candidate, `out_${axis}`));
      assert.ok(near.some(isSame), JSON.stringify(shown));
    }
    await page.locator('#replay-end').click();
    await until('the run', async () => (await mode(page)) === 'running');
    await closePage(page);
  },

  async 'one drives, others watch and may take over'(server) {
    const first = await openPage(server.url);
    await awaitScene(first, 'touch');
    const second = await openPage(server.url);
    await awaitScene(second, 'touch', { drives: false });
    await until('the second to watch', () => state(second, 's.people.clients === 2'));
    assert.ok(await second.locator('#pause').isDisabled());
    await press(first);
    await until('the second to see the force', async () => (await number(second, 'force-value')) > 0.3);
    await release(first);
    await second.locator('#drive').click();
    await until('the second to drive', () => state(second, 's.people.driving'));
    await until('the first to watch', () => state(first, '!s.people.driving'));
    await closePage(second);
    await until('the first to drive again', () => state(first, 's.people.driving && s.people.clients === 1'));
    await closePage(first);
  },

  async 'a client that dies within a frame disturbs nobody'(server) {
    const page = await openPage(server.url);
    await awaitScene(page, 'touch');
    for (let i = 0; i < 3; i++) {
      const socket = new PlainSocket(server, { frame: () => {} });
      await until('the socket', () => socket.isOpen);
      socket.socket.destroy(); // its first frame, with the mesh, is under way
    }
    const before = await frames(page);
    await until('more frames', async () => (await frames(page)) > before + 5);
    await until('the dead to be gone', () => state(page, 's.people.clients === 1'));
    await closePage(page);
  },

  // Newest frame only: a client gets one frame for each that it acknowledged, with all the steps in
  // between, and the others do not notice it.
  async 'a slow client gets the newest frame and holds up nobody'(server) {
    const follow = (isQuick) => {
      const client = { frames: 0, number: 0, steps: 0, last: 0, gap: 0 }; // gap: the largest between steps, s
      client.socket = new PlainSocket(server, {
        frame(number, bytes) {
          const times = readTimes(bytes);
          // What is older than ten seconds is lost, and may be.
          const isWhole = client.steps > 0 && times.length < 9900;
          times.forEach((t, i) => { if (i > 0 || isWhole) client.gap = Math.max(client.gap, t - (i > 0 ? times[i - 1] : client.last)); });
          client.frames++;
          client.steps += times.length;
          client.last = times.at(-1) ?? client.last;
          client.number = number;
          if (isQuick) client.socket.acknowledge(number);
        },
      });
      return client;
    };
    const [quick, slow] = [follow(true), follow(false)];
    await until('the first frame of both', () => quick.steps && slow.steps);
    // The quick one goes on by half a second of the run and twenty frames; only then the slow one has
    // seen the frame that it has, and gets the newest.
    for (let round = 1; round <= 3; round++) {
      const { frames, last } = quick;
      await until('the quick client to go on', () => quick.frames >= frames + 20 && quick.last > last + 0.5);
      assert.equal(slow.frames, round);
      const newest = quick.last;
      slow.socket.acknowledge(slow.number);
      await until('the next frame', () => slow.frames > round);
      assert.ok(slow.last > newest - 1e-6, `${slow.last} s, although there was ${newest}`);
    }
    quick.socket.close();
    slow.socket.close();
    assert.ok(slow.steps > 1500, `${slow.steps} steps`);
    assert.ok(slow.gap < 0.00101 && quick.gap < 0.00101, `${slow.gap} and ${quick.gap} s between steps`);
  },

  async 'a server that comes back is found again'() {
    const first = await startServer(['scenes/touch.yaml']);
    const page = await openPage(first.url);
    await awaitScene(page, 'touch');
    await first.stop();
    await until('the notice', async () => /Connection lost/.test(await page.textContent('#banner')));
    const second = await startServer(['scenes/touch.yaml'], { port: first.port });
    const before = await frames(page);
    await until('frames again', async () => (await frames(page)) > before + 3);
    assert.ok(await page.locator('#banner').isHidden());
    await press(page);
    await release(page);
    await closePage(page);
    second.stop();
  },

  async 'a paused run steps by the key, and arrows move the hand'(server) {
    const page = await openPage(server.url);
    await awaitScene(page, 'touch');
    await page.focus('#view');
    const before = await state(page, '[...s.hand.device]');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await until('the hand to move', async () => Math.hypot(...(await state(page, '[...s.hand.device]')).map((x, i) => x - before[i])) > 5e-4);
    await page.keyboard.press(' ');
    await until('the pause', async () => (await mode(page)) === 'paused');
    const t = await steady(page, () => state(page, 's.plots.store.latest'));
    await page.keyboard.press('n');
    await until('one step', async () => Math.abs((await state(page, 's.plots.store.latest')) - t - 0.001) < 1e-6);
    await page.keyboard.press(' ');
    await until('the run', async () => (await mode(page)) === 'running');
    // Every control can be reached with the tab key.
    const reached = new Set();
    for (let i = 0; i < 40; i++) {
      await page.keyboard.press('Tab');
      reached.add(await page.evaluate(() => document.activeElement.id || document.activeElement.name));
    }
    for (const id of ['pause', 'step', 'reset', 'record', 'fit', 'view', 'method.name', 'copy', 'layer-force', 'colour', 'depth'])
      assert.ok(reached.has(id), `${id} cannot be reached: ${[...reached]}`);
    await closePage(page);
  },

  async 'what cannot be done is said'(server) {
    const missing = await runView(['no-such.yaml', '--port', '0']);
    assert.equal(missing.code, 2);
    assert.match(missing.output, /no-such\.yaml/);
    const busy = await runView(['scenes/touch.yaml', '--port', String(server.port)]);
    assert.equal(busy.code, 2);
    assert.match(busy.output, /cannot listen .*in use.*--port/);
    const stranger = await openPage(server.url.replace(/token=\w+/, 'token=0123'));
    await until('the notice', async () => /token/.test(await stranger.textContent('#banner')));
    await stranger.close();
    const plain = await startBrowser(['--disable-3d-apis']);
    const page = await plain.newPage();
    page.setDefaultTimeout(1000 * patience);
    await page.goto(server.url);
    await page.locator('#no-webgl').waitFor();
    await until('numbers all the same', () => state(page, 's.frames > 3'));
    await plain.close();
    // A driver that fails while the page is open.
    const lucky = await openPage(server.url);
    await awaitScene(lucky, 'touch');
    assert.ok(await lucky.locator('#no-webgl').isHidden());
    await state(lucky, 's.view.renderer.forceContextLoss()');
    await lucky.locator('#no-webgl').waitFor();
    await state(lucky, 's.view.renderer.forceContextRestore()');
    await lucky.locator('#no-webgl').waitFor({ state: 'hidden' });
    await closePage(lucky);
  },
});

// The times of the steps in a frame (src/live/frame.h), s.
function readTimes(bytes) {
  const times = [];
  let at = 32;
  for (let i = bytes.readUInt16LE(6); i > 0; i--) {
    const size = bytes.readUInt32LE(at + 4);
    if (bytes.readUInt32LE(at) === 4) {
      const [count, columns, first] = [bytes.readUInt32LE(at + 8), bytes.readUInt32LE(at + 12), bytes.readDoubleLE(at + 24)];
      for (let k = 0; k < count; k++) times.push(first + bytes.readFloatLE(at + 32 + 4 * (1 + columns) * k));
    }
    at += 8 + Math.ceil(size / 8) * 8;
  }
  return times;
}
