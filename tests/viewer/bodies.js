// SPDX-License-Identifier: Apache-2.0
// Bodies that move and the fingers that move them: soft surfaces, tools, wires, and their recordings.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { awaitScene, closePage, findBody, mode, number, openPage, passPoses, passShapes, release, restingDent, restingHand, runTests, state } from './person.js';
import { inScratch, pictures, startServer, until } from './support.js';

await runTests({
  async 'a soft surface gives way where it is pressed, and comes back'() {
    const server = await startServer(['scenes/block-soft.yaml']);
    const page = await openPage(server.url);
    await awaitScene(page, 'block-soft');
    const most = `(() => {
      const now = s.view.bodies.get(0).body.positions;
      s.rest ??= now.slice();
      let most = 0;
      for (let i = 0; i < now.length; i += 3) most = Math.max(most, Math.hypot(now[i] - s.rest[i], now[i + 1] - s.rest[i + 1], now[i + 2] - s.rest[i + 2]));
      return most;
    })()`;
    assert.ok((await state(page, most)) < 1e-5);
    await page.selectOption('#colour', 'displacement');
    const at = await findBody(page);
    await page.mouse.move(at.x + 30, at.y + 70);
    await page.mouse.down();
    await until('the surface to move', async () => (await state(page, most)) > 5e-4);
    await until('contact', async () => (await number(page, 'contacts-value')) > 0);
    assert.ok(await state(page, 's.view.bodies.get(0).object.material.vertexColors'));
    // A pointer that trembles does not dig: it points at the shape from before the press.
    await restingHand(page);
    const held = await state(page, 's.pointer.position.toArray()');
    for (let i = 0; i < 15; i++) {
      await page.mouse.move(at.x + 30 + (i % 2), at.y + 70);
      await passPoses(page, 2);
    }
    const moved = (await state(page, 's.pointer.position.toArray()')).map((x, i) => x - held[i]);
    assert.ok(Math.hypot(...moved) < 2e-3, `${moved}`);
    await until('the legend', async () => /^displacement0\d+ mm$/.test(await page.textContent('#legend')));
    // The stress comes when it is asked for, and its legend covers what is drawn.
    await page.selectOption('#colour', 'stress');
    await until('the stress', () => state(page, "s.view.bodies.get(0).body.fieldName === 'stress'"));
    const { legend, largest } = await state(page, `({
      legend: document.getElementById('legend').textContent,
      largest: s.view.bodies.get(0).body.field.reduce((a, b) => Math.max(a, b), 0),
    })`);
    assert.match(legend, /^von Mises stress0[\d.]+ kPa$/);
    const top = 1e3 * Number(legend.match(/0([\d.]+) kPa/)[1]);
    assert.ok(largest > 50 && largest <= top * 1.5 && largest >= 0.2 * top, `${largest} Pa of ${top}`);
    await page.selectOption('#colour', 'plain');
    await until('no colours', () => state(page, '!s.view.bodies.get(0).object.material.vertexColors'));
    assert.ok(await page.locator('#legend').isHidden());
    await release(page);
    await until('the surface to come back', async () => (await state(page, most)) < 2e-4);
    await closePage(page);
    server.stop();
  },

  // Pressed while it is recorded, let go after: the slider brings back every moment of it.
  async 'a soft body is shown again as it was'() {
    const server = await startServer(['scenes/block-soft.yaml']);
    const page = await openPage(server.url);
    await awaitScene(page, 'block-soft');
    const dent = () => state(page, `(() => {
      const now = s.view.bodies.get(0).body.positions;
      s.rest ??= now.slice();
      return now.reduce((most, x, i) => Math.max(most, Math.abs(x - s.rest[i])), 0);
    })()`);
    assert.ok((await dent()) < 1e-5);
    await page.locator('#record').click();
    await until('the recording', () => state(page, "s.status.recording !== ''"));
    const name = await state(page, 's.status.recording');
    const since = await state(page, 's.hand.t');
    await until('0.3 s of it', () => state(page, `s.hand.t > ${since + 0.3}`));
    await passShapes(page, 3);
    const at = await findBody(page);
    await page.mouse.move(at.x + 30, at.y + 70);
    await page.mouse.down();
    await until('the surface to move', async () => (await dent()) > 1e-3);
    await restingHand(page);
    const pressed = await restingDent(page, dent);
    await page.locator('#record').evaluate((button) => button.click());
    await until('its end', () => state(page, "s.status.recording === ''"));
    await page.mouse.up();
    await until('the surface to come back', async () => (await dent()) < 0.3 * pressed);
    await page.locator('#recordings button', { hasText: new RegExp(`^${name}$`) }).click();
    await until('the replay', async () => (await mode(page)) === 'replay');
    assert.ok(await page.locator('#replay-note').isHidden());
    const seek = (share) => page.locator('#replay-slider').evaluate((slider, value) => { slider.value = value * slider.max; slider.dispatchEvent(new Event('input')); }, share);
    for (let i = 0; i < 2; i++) {
      await seek(0.02);
      await until('the shape at the begin', async () => (await dent()) < 1e-4);
      assert.equal(await page.textContent('#contacts-value'), '–');
      await seek(1);
      await until('the shape at the end', async () => Math.abs((await dent()) - pressed) < 0.25 * pressed);
    }
    await page.screenshot({ path: join(pictures, 'replay-soft.png') });
    await page.locator('#replay-end').click();
    await until('the run', async () => (await mode(page)) === 'running');
    await until('the body as it is now', async () => (await dent()) < 0.3 * pressed);
    await closePage(page);
    server.stop();
  },

  // What a method with a tool and a wire would send, from the encoder itself.
  async 'a tool and a wire are drawn where they are'(server) {
    const file = inScratch('frame.bin');
    const made = spawnSync(join(process.env.PAL_BUILD ?? 'build', 'tests', 'test_live_page_frames'), { env: { ...process.env, PAL_FRAME_FILE: file } });
    assert.equal(made.status, 0, String(made.stderr));
    const page = await openPage(server.url);
    await awaitScene(page, 'touch');
    assert.doesNotMatch(await page.textContent('#hint'), /alt-drag/);
    await page.evaluate((base64) => {
      const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
      window.palpate.draw(bytes.buffer);
    }, readFileSync(file).toString('base64'));
    await until('both', () => state(page, 's.view.bodies.size === 3'));
    // Half a turn about z at (10, 60, 0) mm puts the corner (20, 0, 0) at (-10, 60, 0).
    const corner = await state(page, `(() => {
      const tool = s.view.bodies.get(1).object;
      tool.updateMatrixWorld();
      return tool.localToWorld(tool.position.clone().set(0.02, 0, 0)).toArray();
    })()`);
    [-0.01, 0.06, 0].forEach((x, i) => assert.ok(Math.abs(corner[i] - x) < 1e-6, `${corner}`));
    // Every ring of the tube has the radius of the wire around its quarter circle of 40 mm.
    const rings = await state(page, 'Array.from(s.view.bodies.get(2).object.geometry.getAttribute("position").array)');
    const radius = Math.max(1e-3, 0.0015 * (await state(page, 's.view.size')));
    for (let i = 0; i < rings.length; i += 3) {
      const [x, y, z] = [rings[i], rings[i + 1] - 0.07, 0.04 - rings[i + 2]];
      const distance = Math.hypot(Math.hypot(x, z) - 0.04, y);
      assert.ok(Math.abs(distance - radius) < 0.05 * radius, `${distance} of ${radius}`);
    }
    // Its faces look outwards, or it would be drawn dark.
    const outward = await state(page, `(() => {
      const { index, attributes: { position, normal } } = s.view.bodies.get(2).object.geometry;
      const at = (i) => s.view.camera.position.clone().fromBufferAttribute(position, index.getX(i));
      let count = 0;
      for (let i = 0; i < index.count; i += 3) {
        const a = at(i);
        const face = at(i + 1).sub(a).cross(at(i + 2).sub(a));
        count += face.dot(a.clone().fromBufferAttribute(normal, index.getX(i))) > 0 ? 3 : 0;
      }
      return count / index.count;
    })()`);
    assert.equal(outward, 1);
    // The hand can be turned now, and shows how: alt-drag, and letters.
    assert.match(await page.textContent('#hint'), /alt-drag/);
    assert.ok(await state(page, 's.view.marks.layers.axes'));
    const turned = () => state(page, '2 * Math.acos(Math.min(1, Math.abs(s.hand.orientation.w)))');
    assert.equal(await turned(), 0);
    await page.focus('#view');
    for (let i = 0; i < 4; i++) await page.keyboard.press('j');
    await until('the hand to turn', async () => Math.abs((await turned()) - 0.2) < 0.01);
    const at = await findBody(page);
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await page.keyboard.down('Alt');
    await page.mouse.move(at.x - 50, at.y, { steps: 5 });
    await page.keyboard.up('Alt');
    await until('the hand to turn further', async () => Math.abs((await turned()) - 0.7) < 0.05);
    // Of the tool's corners the one farthest along the line of sight is as deep as the hand would be.
    const deepest = () => state(page, `(() => {
      const { point, sight, depth, orientation } = s.pointer;
      const device = point.clone().set(...s.hand.device);
      const corners = [[0, 0, 0], [0.02, 0, 0], [0, 0.02, 0], [0, 0, 0.02]].map((c) => point.clone().set(...c).applyQuaternion(orientation).add(device).sub(point).dot(sight));
      return Math.max(...corners) - depth;
    })()`);
    await until('the tool to touch', async () => Math.abs(await deepest()) < 2e-4);
    await page.screenshot({ path: join(pictures, 'tool-and-wire.png') });
    await page.mouse.up();
    // The hand itself is dragged across the line of sight, and stays there.
    const there = () => page.evaluate(() => {
      const box = document.getElementById('view').getBoundingClientRect();
      const { x, y } = window.palpate.view.project([...window.palpate.hand.device]);
      return { x: box.left + x, y: box.top + y };
    });
    await restingHand(page);
    const from = await there();
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(from.x - 70, from.y - 20, { steps: 6 });
    await until('the hand to follow', async () => Math.hypot((await there()).x - from.x + 70, (await there()).y - from.y + 20) < 2);
    await page.mouse.up();
    await page.mouse.move(at.x, at.y, { steps: 4 });
    await passPoses(page, 20);
    assert.ok(Math.hypot((await there()).x - from.x + 70, (await there()).y - from.y + 20) < 2, 'it went away');
    await closePage(page);
  },

  // The tool of every scene that has one goes where the mouse presses, dents what is soft, is felt, and
  // turns with alt-drag.
  async 'a tool presses and turns with the mouse'() {
    for (const name of ['tool-block', 'tool-organ', 'tool-polyp', 'tool-wave']) {
      const server = await startServer([`scenes/${name}.yaml`]);
      const page = await openPage(server.url);
      await awaitScene(page, name);
      assert.match(await page.textContent('#hint'), /alt-drag/);
      const dent = `(() => {
        const now = s.view.bodies.get(0).body.positions;
        s.rest ??= now.slice();
        let most = 0;
        for (let i = 0; i < now.length; i += 3) most = Math.max(most, Math.hypot(now[i] - s.rest[i], now[i + 1] - s.rest[i + 1], now[i + 2] - s.rest[i + 2]));
        return most;
      })()`;
      const isSoft = await state(page, 's.view.hasSoft');
      if (isSoft) await state(page, dent);
      const turned = () => state(page, '2 * Math.acos(Math.min(1, Math.abs(s.view.bodies.get(1).object.quaternion.w)))');
      const at = await findBody(page);
      await page.mouse.move(at.x - 1, at.y);
      await page.mouse.down();
      await page.mouse.move(at.x, at.y);
      if (isSoft) await until(`${name} to give way`, async () => (await state(page, dent)) > 1e-3);
      await until('a force', async () => (await number(page, 'force-value')) > 0);
      const before = await turned();
      await page.keyboard.down('Alt');
      await page.mouse.move(at.x - 60, at.y, { steps: 6 });
      await page.keyboard.up('Alt');
      await until(`the tool of ${name} to turn`, async () => Math.abs((await turned()) - before) > 0.1);
      assert.ok(await state(page, 's.hand.force.every(Number.isFinite)'));
      await page.screenshot({ path: join(pictures, `${name}-mouse.png`) });
      await page.mouse.up();
      await closePage(page);
      server.stop();
    }
  },

  // Of two hands the mouse takes the one that is chosen; the other goes on with its trajectory, and the
  // one that is left rests where it is.
  async 'one of two hands is taken by the mouse'(other) {
    const single = await openPage(other.url);
    await awaitScene(single, 'touch');
    assert.ok(await single.locator('#choose-hand').isHidden());
    await closePage(single);
    const server = await startServer(['scenes/two-tools-organ.yaml', '--set', 'hands.0.trajectory={kind: circle, centre: [-0.05, 0.07, 0], radius: 0.01, speed: 0.01}']);
    const page = await openPage(server.url);
    await awaitScene(page, 'two-tools-organ');
    await until('the control', () => page.locator('#choose-hand').isVisible());
    assert.match(await page.textContent('#hint'), /Choose above/);
    await until('both hands', () => state(page, 's.hands?.length === 2 && s.view.marks.hands.filter((h) => h.hand.visible).length === 2'));
    const device = (i) => state(page, `[...s.hands[${i}].device]`);
    const apart = (a, b) => Math.hypot(...a.map((x, i) => x - b[i]));
    await page.selectOption('#choose', '1');
    await until('hand 1', () => state(page, 's.status.steered === 1 && s.pointer.position !== null'));
    assert.match(await page.textContent('#hint'), /alt-drag/);
    const before = await device(0);
    const at = await findBody(page);
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await page.mouse.move(at.x + 1, at.y);
    await until('a force on hand 1', () => state(page, 'Math.hypot(...s.hands[1].out) > 0.1'));
    await until('its number', async () => (await number(page, 'force-value')) > 0.1);
    await until('its plot', () => state(page, 's.plots.store.count > 10 && s.plots.store.column(4).at(-1) > 0.1'));
    await until('hand 0 to go on', async () => apart(await device(0), before) > 2e-3);
    assert.ok(await state(page, 'Math.hypot(...s.hands[0].out) < 1e-3'));
    await page.screenshot({ path: join(pictures, 'two-hands.png') });
    // Left with the button down, hand 1 rests where it is and goes on pressing.
    await restingHand(page);
    await page.selectOption('#choose', '0');
    await page.mouse.up();
    await until('hand 0', () => state(page, 's.status.steered === 0 && s.pointer.position !== null'));
    const left = [await device(0), await device(1)];
    await passPoses(page, 20);
    assert.ok(apart(await device(1), left[1]) < 1e-6 && apart(await device(0), left[0]) < 1e-3, 'they rest');
    await until('hand 1 to press', () => state(page, 'Math.hypot(...s.hands[1].out) > 0.1'));
    await closePage(page);
    server.stop();
  },

  // A wire follows the hand that is dragged, bends, and is felt.
  async 'a wire bends with the hand'() {
    const drags = { beams: -1, 'wire-cylinder': -1, 'wire-on-soft': 1, 'three-rates': -1 }; // up or down
    for (const [name, down] of Object.entries(drags)) {
      const server = await startServer([`scenes/${name}.yaml`]);
      const page = await openPage(server.url);
      await awaitScene(page, name);
      await until('the wires', () => state(page, '[...s.view.bodies.values()].some((b) => b.body?.poses && b.body.radius)'));
      const moved = `(() => {
        const wires = [...s.view.bodies.values()].filter((b) => b.body?.poses && b.body.radius);
        s.wiresAtFirst ??= wires.map((b) => b.body.poses.slice());
        let most = 0;
        wires.forEach((b, w) => {
          for (let i = 0; i < b.body.poses.length; i += 7) most = Math.max(most, Math.hypot(...[0, 1, 2].map((k) => b.body.poses[i + k] - s.wiresAtFirst[w][i + k])));
        });
        return most;
      })()`;
      await state(page, moved);
      const from = await until('the hand in the view', async () => {
        await page.click('#fit');
        const at = await page.evaluate(() => {
          const box = document.getElementById('view').getBoundingClientRect();
          const { x, y } = window.palpate.view.project([...window.palpate.hand.device]);
          return { x: box.left + x, y: box.top + y };
        });
        return Number.isFinite(at.x) && Number.isFinite(at.y) && at;
      });
      await page.mouse.move(from.x, from.y);
      await page.mouse.down();
      // Farther and farther, until it is felt.
      let way = 0;
      await until(`the wire of ${name} to bend`, async () => {
        way = Math.min(way + 3, 60);
        await page.mouse.move(from.x, from.y + way * down);
        return (await state(page, moved)) > 2e-3 && (await number(page, 'force-value')) > 0;
      });
      assert.ok(await state(page, 's.hand.force.every(Number.isFinite)'));
      await page.screenshot({ path: join(pictures, `${name}-mouse.png`) });
      await page.mouse.up();
      await closePage(page);
      server.stop();
    }
  },

  // One finger presses; two turn and zoom the view; a second one turns what can be turned.
  async 'fingers press, turn and zoom'(server) {
    const page = await openPage(server.url, { viewport: { width: 390, height: 760 }, hasTouch: true, isMobile: true });
    await awaitScene(page, 'touch');
    assert.match(await page.textContent('#hint'), /two fingers/);
    const session = await page.context().newCDPSession(page);
    // Every event says when it was, in seconds after the first: what is one gesture depends on that.
    const begin = Date.now() / 1000;
    let now = 0;
    const touch = (type, ...points) => session.send('Input.dispatchTouchEvent', { type, timestamp: begin + now, touchPoints: points.map(([x, y], id) => ({ x, y, id })) });
    const camera = () => state(page, 's.view.camera.position.toArray()');
    const apart = (a, b) => Math.hypot(...a.map((x, i) => x - b[i]));
    const before = await camera();
    const { x, y } = await findBody(page);
    await touch('touchStart', [x, y]);
    await touch('touchMove', [x + 4, y]);
    await until('the force', async () => (await number(page, 'force-value')) > 0.3);
    assert.deepEqual(await camera(), before);
    await touch('touchEnd');
    await until('the force to end', async () => (await number(page, 'force-value')) === 0);
    // Two fingers at once, drawn apart and to the side.
    now += 1;
    await touch('touchStart', [x - 20, y]);
    await touch('touchStart', [x - 20, y], [x + 20, y]);
    for (let i = 1; i <= 10; i++) await touch('touchMove', [x - 20 + 2 * i, y], [x + 20 + 8 * i, y]);
    await touch('touchEnd');
    const after = await camera();
    assert.ok(Math.hypot(...after) < 0.9 * Math.hypot(...before), 'the view is nearer');
    assert.ok(apart(after.map((c) => c / Math.hypot(...after)), before.map((c) => c / Math.hypot(...before))) > 0.05, 'and turned');
    await until('no force', async () => (await number(page, 'force-value')) === 0);
    await passPoses(page, 20);
    assert.ok((await number(page, 'force-value')) < 0.05, 'nothing is pressed');
    // A second finger later, in a scene with something to turn.
    await page.evaluate(() => { window.palpate.pointer.canRotate = true; });
    const found = await findBody(page);
    now += 1;
    await touch('touchStart', [found.x, found.y]);
    await until('the finger', () => state(page, 'Boolean(s.pointer.pressing)'));
    now += 0.4; // longer than what makes two fingers one gesture
    await touch('touchStart', [found.x, found.y], [found.x, found.y + 60]);
    await until('the second finger', () => state(page, 'Boolean(s.pointer.second)'));
    // It goes on moving until that is seen: a busy browser holds moves back until the next.
    let way = 0;
    await until('the hand to turn', async () => {
      now += 0.1;
      way = way < 60 ? way + 10 : way - 5;
      await touch('touchMove', [found.x, found.y], [found.x + way, found.y + 60]);
      return state(page, 'Math.abs(s.hand.orientation.w) < Math.cos(0.2)');
    });
    await until('the force', async () => (await number(page, 'force-value')) > 0.3);
    await touch('touchEnd');
    await closePage(page);
  },
});
