// SPDX-License-Identifier: Apache-2.0
// Rigid bodies under the mouse and the keys: the first view, a tower that is knocked over, its contacts and its
// recording, a box that is picked up, a row that is pushed.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { awaitScene, closePage, mode, openPage, passPoses, restingHand, runTests, state } from './person.js';
import { pictures, startServer, until } from './support.js';

// By how much the boxes have moved, m; the most.
const moved = (page) => state(page, 'Math.max(...[...s.view.bodies.values()].filter((drawn) => drawn.isFree).map((drawn) => drawn.object.position.length()))');

// Looks along -z at what the first view shows, from that far.
const seeFromTheSide = (page, distance) => state(page, `(() => {
  const { camera, controls } = s.view;
  camera.position.copy(controls.target);
  camera.position.z += ${distance};
  controls.update();
})()`);

await runTests({
  async 'a tower stands, is knocked over with the mouse, and falls again in its recording'() {
    const server = await startServer(['scenes/tower.yaml']);
    const page = await openPage(server.url);
    await awaitScene(page, 'tower');
    // The first view shows the tower without being asked: it is what moves, not the wide floor.
    await until('the poses', () => state(page, 's.view.placedCount === 5'));
    const first = await state(page, 's.view.camera.position.toArray()');
    await page.locator('#fit').click();
    const fitted = await state(page, 's.view.camera.position.toArray()');
    first.forEach((x, i) => assert.ok(Math.abs(x - fitted[i]) < 0.02 * Math.hypot(...fitted), `${first}, ${fitted}`));
    // Its boxes have one mesh.
    assert.equal(await state(page, 'new Set([...s.view.bodies.values()].filter((drawn) => drawn.isFree).map((drawn) => drawn.mesh.geometry)).size'), 1);
    // It stands, its contacts are drawn with their forces, and what sleeps is darker.
    assert.ok((await moved(page)) < 1e-3, `${await moved(page)}`);
    await until('contacts among the boxes', () => state(page, 's.view.marks.contacts.visible && s.view.marks.contacts.count >= 20 && s.view.marks.forces.visible'));
    await until('sleep', () => state(page, '[...s.view.bodies.values()].some((drawn) => drawn.isFree && drawn.mesh.material.color.getHSL({}).l < 0.5)'));
    await page.screenshot({ path: join(pictures, 'tower-stands.png') });
    await page.locator('#record').click();
    await until('the recording', () => state(page, "s.status.recording !== ''"));
    const name = await state(page, 's.status.recording');
    // The hand is taken, brought to the depth of the tower with the wheel, and drawn across it.
    const { from, beside, beyond, clicks } = await state(page, `(() => {
      const tower = s.pointer.position.clone().set(0, 0.17, 0);
      const sight = s.view.camera.getWorldDirection(tower.clone());
      const right = sight.clone().cross(s.view.camera.up).normalize();
      const at = (point) => (({ x, y }) => ({ x, y }))(s.view.project(point.toArray()));
      return {
        from: at(s.pointer.position), beside: at(tower.clone().addScaledVector(right, -0.1)), beyond: at(tower.clone().addScaledVector(right, 0.1)),
        clicks: Math.round(tower.clone().sub(s.pointer.position).dot(sight) / (0.01 * s.view.size)),
      };
    })()`);
    const box = await page.locator('#view').boundingBox();
    const move = ({ x, y }, steps) => page.mouse.move(box.x + x, box.y + y, { steps });
    await move(from, 1);
    await page.mouse.down();
    for (let i = 0; i < Math.abs(clicks); i++) await page.mouse.wheel(0, -100 * Math.sign(clicks));
    await move(beside, 5);
    await move(beyond, 20);
    await until('the tower to fall', async () => (await moved(page)) > 0.04);
    await page.screenshot({ path: join(pictures, 'tower-falls.png') });
    await page.mouse.up();
    await page.locator('#record').evaluate((button) => button.click());
    await until('its end', () => state(page, "s.status.recording === ''"));
    // The recording has it standing at the begin and fallen at the end.
    await page.locator('#recordings button', { hasText: new RegExp(`^${name}$`) }).click();
    await until('the replay', async () => (await mode(page)) === 'replay');
    const seek = (share) => page.locator('#replay-slider').evaluate((slider, value) => { slider.value = value * slider.max; slider.dispatchEvent(new Event('input')); }, share);
    await seek(0.01);
    await until('the tower at the begin', async () => (await moved(page)) < 1e-3);
    await seek(1);
    await until('the tower at the end', async () => (await moved(page)) > 0.03);
    await closePage(page);
    server.stop();
  },

  async 'a box is picked up with a double-click, carried with the mouse, and let go with another'() {
    const server = await startServer(['scenes/tower.yaml']);
    const page = await openPage(server.url);
    await awaitScene(page, 'tower');
    await until('the poses', () => state(page, 's.view.placedCount === 5'));
    // The topmost box, by how high it has gone since the start.
    const risen = () => state(page, 'Math.max(...[...s.view.bodies.values()].filter((drawn) => drawn.isFree).map((drawn) => drawn.object.position.y))');
    const at = await state(page, `(() => {
      const { x, y } = s.view.project([0, 0.245, 0.02]);
      const box = s.view.canvas.getBoundingClientRect();
      return { x: box.left + x, y: box.top + y };
    })()`);
    await page.mouse.move(at.x, at.y);
    await page.mouse.dblclick(at.x, at.y);
    await until('the hand to hold it', () => state(page, 's.pointer.isPicking && !s.pointer.pressing'));
    await page.mouse.down();
    await page.mouse.move(at.x, at.y - 60, { steps: 20 });
    await until('the box to rise', async () => (await risen()) > 0.02);
    await page.mouse.up();
    await page.screenshot({ path: join(pictures, 'tower-picked.png') });
    await restingHand(page);
    const height = await risen();
    await passPoses(page, 20); // it stays in the hand
    assert.ok(Math.abs((await risen()) - height) < 0.005, `${await risen()}, ${height}`);
    await page.mouse.dblclick(at.x, at.y - 60);
    await until('the box to leave the hand', async () => Math.abs((await risen()) - height) > 0.02);
    await closePage(page);
    server.stop();
  },

  async 'a row of boxes is pushed with the keys, and lets nothing through'() {
    const server = await startServer(['scenes/push-row.yaml']);
    const page = await openPage(server.url);
    await awaitScene(page, 'push-row');
    await until('the poses', () => state(page, 's.view.placedCount === 20'));
    await seeFromTheSide(page, 0.6);
    await page.locator('#view').focus();
    // How far the least moved box has gone along x.
    const along = () => state(page, 'Math.min(...[...s.view.bodies.values()].filter((drawn) => drawn.isFree).map((drawn) => drawn.object.position.x))');
    for (let i = 0; i < 60 && (await along()) < 0.01; i++) {
      await page.keyboard.press('Shift+ArrowRight');
      await restingHand(page);
    }
    assert.ok((await along()) > 0.01);
    await page.screenshot({ path: join(pictures, 'row-pushed.png') });
    // None has let the hand through.
    assert.ok((await state(page, 's.hand.proxy'))[0] < (await along()));
    await closePage(page);
    server.stop();
  },
});
