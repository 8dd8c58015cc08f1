// SPDX-License-Identifier: Apache-2.0
// What a person does with the page, and the run of a file's tests. Every test gets a page of its own;
// one server serves those that need none of their own.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { patience, pictures, PlainSocket, startBrowser, startServer, until } from './support.js';

const browser = await startBrowser();

export async function openPage(url, options = {}) {
  const page = await browser.newPage({ viewport: { width: 820, height: 600 }, ...options });
  page.setDefaultTimeout(1000 * patience);
  page.faults = [];
  page.on('pageerror', (error) => page.faults.push(error.message));
  await page.goto(url);
  return page;
}

export async function closePage(page) {
  assert.deepEqual(page.faults, [], 'the page had errors');
  await page.close();
}

export const state = (page, read) => page.evaluate(`((s) => ${read})(window.palpate)`);
export const number = async (page, id) => Number(await page.textContent(`#${id}`));
export const mode = (page) => state(page, 's.status?.mode');
export const frames = (page) => state(page, 's.frames');

// Waits for so many more poses of the hand from the page, the unit of time of all that the hand does.
export async function passPoses(page, count) {
  const sent = () => state(page, `(() => {
    if (s.posesSent === undefined) {
      const { send } = s.pointer;
      s.posesSent = 0;
      s.pointer.send = (message) => { s.posesSent++; send(message); };
    }
    return s.posesSent;
  })()`);
  const before = await sent();
  await until(`${count} poses`, async () => (await sent()) >= before + count);
}

// Waits for so many more shapes of the soft body from the low rate, and calls `each` after every one.
export async function passShapes(page, count, each = () => {}) {
  const isNew = () => state(page, `(() => {
    const { positions } = s.view.bodies.get(0).body;
    const isNew = positions !== s.shapeSeen;
    s.shapeSeen = positions;
    return isNew;
  })()`);
  await isNew();
  for (let i = 0; i < count; i++) {
    await until('another shape of the body', isNew);
    await each();
  }
}

// How far the soft body is from its first shape, m, once that has been the same for ten shapes.
export async function restingDent(page, dent) {
  let [last, same] = [await dent(), 0];
  while (same < 10)
    await passShapes(page, 1, async () => {
      const now = await dent();
      same = Math.abs(now - last) < 2e-5 ? same + 1 : 0;
      last = now;
    });
  return last;
}

// Waits until the hand is where the page wants it, with no way to go.
export async function restingHand(page) {
  const where = () => state(page, `(() => {
    const { position, leg } = s.pointer;
    const device = position.clone().set(...s.hand.device);
    return leg === 0 && position.distanceTo(device) < 1e-6 && position.toArray().join();
  })()`);
  await until('the hand to rest', async () => {
    const before = await where();
    await passPoses(page, 10);
    return before && before === (await where());
  });
}

// What `read` gives, once it has been the same for five frames in a row.
export async function steady(page, read) {
  let [last, frame, same] = [await read(), await frames(page), 0];
  return until('a value that stays', async () => {
    const [now, next] = [await read(), await frames(page)];
    if (now !== last) same = 0;
    else if (next !== frame) same++;
    [last, frame] = [now, next];
    return same >= 4 && [now];
  }).then(([value]) => value);
}

// Waits until the page shows the scene, and may do something there: it drives once the server knows
// that the page before it is gone.
export async function awaitScene(page, name, { drives = true } = {}) {
  await until(`the scene ${name}`, () => state(page, `s.status?.scene === '${name}' && s.people?.driving === ${drives} && s.hand !== null && s.hasFitted`));
}

// A point of the page under which there is a body, near the middle of the view.
export function findBody(page) {
  return page.evaluate(() => {
    const box = document.getElementById('view').getBoundingClientRect();
    for (let r = 0; r < 0.5; r += 0.04)
      for (let a = 0; a < 6.28; a += 0.4) {
        const x = box.left + box.width * (0.5 + r * Math.cos(a));
        const y = box.top + box.height * (0.5 + r * Math.sin(a));
        if (window.palpate.view.pick(x, y)) return { x, y };
      }
    return null;
  });
}

// How many pixels of the view have the colour of the force's arrow.
export function arrowPixels(page) {
  return page.evaluate(async () => {
    const image = new Image();
    image.src = window.palpate.view.picture();
    await image.decode();
    const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height });
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, image.width, image.height);
    let count = 0;
    for (let i = 0; i < data.length; i += 4) count += Math.abs(data[i] - 0xd9) + Math.abs(data[i + 1] - 0x48) + Math.abs(data[i + 2] - 0x0f) < 12;
    return count;
  });
}

// Presses where a body is, and leaves the button down.
export async function press(page) {
  const at = await findBody(page);
  assert.ok(at, 'no body in the view');
  await page.mouse.move(at.x - 1, at.y);
  await page.mouse.down();
  await page.mouse.move(at.x, at.y);
  await until('the hand to be there', async () => (await number(page, 'force-value')) > 0.3);
  return at;
}

export async function release(page) {
  await page.mouse.up();
  await until('the force to end', async () => (await number(page, 'force-value')) === 0);
}

// Pairs of things one sees that lie over each other, or that are wider than what they stand in.
export function overlaps(page) {
  return page.evaluate(() => {
    const seen = [...document.querySelectorAll('#studio button, #studio input, #studio select, #studio output, #studio h1, #studio h2, #studio h3, #studio .hint, #studio dt, #studio .legend')]
      .filter((element) => element.checkVisibility() && element.textContent + element.tagName !== 'OUTPUT')
      .map((element) => ({ element, name: element.id || element.name || element.textContent, box: element.getBoundingClientRect() }))
      .filter(({ box }) => box.width > 0 && box.height > 0);
    const faults = seen.filter(({ box }) => box.right > innerWidth + 1 || box.left < -1).map(({ name }) => `${name} sticks out`);
    seen.forEach((a, i) => seen.slice(i + 1).forEach((b) => {
      const isWithin = a.element.contains(b.element) || b.element.contains(a.element);
      const isApart = a.box.right <= b.box.left + 1 || b.box.right <= a.box.left + 1 || a.box.bottom <= b.box.top + 1 || b.box.bottom <= a.box.top + 1;
      const isScrolled = a.element.closest('.side') && a.box.bottom > innerHeight;
      if (!isWithin && !isApart && !isScrolled) faults.push(`${a.name} over ${b.name}`);
    }));
    return faults;
  });
}

//--------------------------------------------------------------------------------------------------
// All tests of a file, or those that the arguments name

export async function runTests(tests) {
  const shared = await startServer(['scenes/touch.yaml']);
  let failures = 0;
  for (const [name, test] of Object.entries(tests)) {
    if (process.argv.length > 2 && !process.argv.slice(2).some((word) => name.includes(word))) continue;
    const begin = Date.now();
    try {
      await test(shared);
      console.log(`ok    ${name} (${((Date.now() - begin) / 1000).toFixed(1)} s)`);
    } catch (error) {
      failures++;
      console.log(`FAIL  ${name}\n${error.stack}`);
      for (const socket of PlainSocket.all) socket.close();
      for (const context of browser.contexts()) for (const page of context.pages()) {
        await page.screenshot({ path: join(pictures, `failed-${failures}.png`) }).catch(() => {});
        await page.close().catch(() => {});
      }
    }
  }
  await browser.close();
  process.exit(failures ? 1 : 0);
}
