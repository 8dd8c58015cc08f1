// SPDX-License-Identifier: Apache-2.0
// The page: receives frames, draws the newest, and sends the commands of the controls.
import { Connection } from './connection.js';
import { Controls } from './controls.js';
import { readFrame } from './frame.js';
import { showGallery } from './gallery.js';
import { Hand } from './hand.js';
import { Plots } from './plots.js';
import { Sound } from './sound.js';
import { View } from './view.js';

const $ = (id) => document.getElementById(id);
const token = new URLSearchParams(location.search).get('token') ?? '';
const isTouch = matchMedia('(pointer: coarse)').matches;
const forceBarMax = 5; // N
const state = { epoch: 0, chosen: 0, status: null, people: null, hand: null, frames: 0, connection: 'connecting', hasFitted: false };
// For tests and for the console: palpate.say('step 100'), palpate.draw(bytesOfAFrame).
window.palpate = state;

//--------------------------------------------------------------------------------------------------
// Parts

let view = null;
let hand = null;
try {
  view = new View($('view'), $('legend'));
  hand = new Hand(view, (message) => connection.send(message));
  hand.onDepth = (fraction) => { $('depth').value = fraction; };
  // A graphics driver failure loses the context; it may be restored.
  for (const [type, isLost] of [['webglcontextlost', true], ['webglcontextrestored', false]])
    $('view').addEventListener(type, () => { $('no-webgl').hidden = !isLost; });
} catch (error) {
  console.warn(error);
  $('no-webgl').hidden = false;
  $('hint').hidden = true;
}
const plots = new Plots($('plots'));
const sound = new Sound();
const controls = new Controls($('controls'), $('all-values'), (text) => connection.sendText(text));
Object.assign(state, {
  view, plots, sound, pointer: hand, say: (text) => connection.sendText(text),
  draw: (bytes) => { view.setBodies(readFrame(bytes).bodies); showHint(); },
});

let newest = null; // the frame to be drawn next
const connection = new Connection(token, { frame: receiveFrame, people: showClients, state: showConnection });

//--------------------------------------------------------------------------------------------------
// From the server

function receiveFrame(frame) {
  newest = frame;
  if (document.hidden) setTimeout(() => newest === frame && show(), 500);
  else requestAnimationFrame(show);
}

function show() {
  const frame = newest;
  if (!frame) return;
  newest = null;
  if (frame.epoch !== state.epoch) beginEpoch(frame);
  view?.setBodies(frame.bodies);
  if (frame.values) controls.show(frame.values);
  if (frame.values) showMessages(frame.values.messages ?? []);
  if (frame.ticks) plots.add(frame.ticks);
  if (frame.status) showStatus(frame.status);
  // Once more when poses arrive: a wide floor is looked past only where it is known what moves.
  const isPlaced = view && view.placedCount > (state.placed ?? 0) && !view.isTurned;
  if (view?.bodies.size && (!state.hasFitted || isPlaced) && !$('studio').hidden) {
    view.resize();
    view.fit();
    state.hasFitted = true;
    state.placed = view.placedCount;
  }
  frame.hand = frame.hands[shownHand()];
  if (frame.hand) showHand(frame);
  if (view && frame.bodies.length) showHint();
  view?.show(frame);
  view?.render();
  placeForceLabel();
  state.frames++;
  state.sets = view?.marks.activeSets ?? 0;
  connection.acknowledge(frame.number);
}

// Another scene, or the same scene rebuilt.
function beginEpoch(frame) {
  state.epoch = frame.epoch;
  state.placed = 0;
  view?.clear();
  hand?.reset();
  plots.clear();
  state.hand = null;
  state.hint = undefined;
}

// Shows the available interactions: with a tool or a wire the hand can be rotated.
function showHint() {
  const held = isOneOfSeveral() ? state.status.hands[shownHand()].holds : null;
  const canRotate = held ? held !== 'nothing' : view.hasPose;
  const key = `${canRotate}/${hasMouse()}/${shownHand()}`;
  if (state.hint === key) return;
  state.hint = key;
  $('layer-axes').checked = view.marks.layers.axes = canRotate;
  hand.canRotate = canRotate;
  const drag = view.hasTarget ? 'Drag on the object to press' : 'Drag the hand';
  hand.index = shownHand();
  if (!hasMouse()) $('hint').textContent = 'Choose above which hand the mouse moves · drag: rotate the view · right button: pan';
  else $('hint').textContent = isTouch
    ? `${drag}${canRotate ? ' · a second finger rotates the hand' : ''} · two fingers: rotate and zoom the view`
    : `${drag} · wheel: depth · ${canRotate ? 'alt-drag: rotate the hand · ' : ''}drag beside it: rotate the view · right button: pan`;
}

function showHand(frame) {
  state.hand = { ...frame.hand, t: frame.t };
  const newtons = Math.hypot(...frame.hand.out);
  const depth = Math.hypot(...frame.hand.device.map((x, i) => x - frame.hand.proxy[i]));
  $('force-value').textContent = newtons.toFixed(2);
  $('depth-value').textContent = (1e3 * depth).toFixed(1);
  // A recording contains the active rows, not the contacts.
  $('contacts-value').textContent = state.status?.replay ? '–' : frame.hand.contacts;
  $('time-value').textContent = frame.t.toFixed(2);
  $('felt-text').textContent = `${newtons.toFixed(2)} N`;
  $('felt-bar').style.width = `${Math.min(100, (100 * newtons) / forceBarMax)}%`;
  $('felt-bar').className = newtons > forceBarMax ? 'high' : '';
  state.hands = frame.hands;
  if (hasMouse()) hand?.update(frame.hand);
  sound.update(newtons);
}

// Places the force label beside the hand.
function placeForceLabel() {
  if (!view || !state.hand) return;
  const at = view.project(state.hand.device);
  $('felt').hidden = !at.isAhead || Math.hypot(...state.hand.out) < 0.02;
  const [right, bottom] = [view.canvas.clientWidth - $('felt').offsetWidth, view.canvas.clientHeight - $('felt').offsetHeight];
  const within = (x, max) => Math.round(Math.min(Math.max(x, 0), Math.max(max, 0)));
  $('felt').style.transform = `translate(${within(at.x + 18, right)}px, ${within(at.y - 34, bottom)}px)`;
}

function showClients(people) {
  state.people = people;
  if (hand) hand.isDriving = people.driving;
  $('drive').hidden = people.driving;
  for (const id of ['pause', 'step', 'reset', 'record', 'replay-play', 'replay-end']) $(id).disabled = !people.driving;
  showDriver();
}

// Of several hands one is shown in the numbers and plots; a scene with fewer shows its first.
const isOneOfSeveral = () => state.status?.hands?.length > 1;
const shownHand = () => (state.chosen < (state.status?.hands?.length ?? 1) ? state.chosen : 0);
// Whether the mouse has it.
const hasMouse = () => !isOneOfSeveral() || state.status.steered === shownHand();

// The one that is chosen is taken by the mouse.
function showHands(status) {
  if (view?.bodies.size && isOneOfSeveral()) showHint();
  const isSteered = status.steered >= 0;
  const key = `${status.steered}/${status.hands.map((each) => each.holds).join('/')}`;
  $('choose-hand').hidden = status.hands.length < 2;
  if ($('choose').dataset.key === key) return;
  $('choose').dataset.key = key;
  const options = status.hands.map((each, i) => new Option(`hand ${i}, with ${each.holds}`, i, false, i === status.steered));
  $('choose').replaceChildren(...(isSteered ? [] : [new Option('no hand', '', false, true)]), ...options);
}

function showDriver() {
  const people = state.people;
  if (!people) return;
  const others = people.clients - 1;
  const connected = others === 0 ? '' : `, ${others} other${others > 1 ? 's' : ''} connected`;
  const isMouse = state.status?.device === 'browser' || state.status?.steered >= 0;
  $('who').textContent = (people.driving ? (isMouse ? 'this mouse' : `the scene (${state.status?.device ?? '–'})`) : 'another client') + connected;
}

function showConnection(word) {
  state.connection = word;
  const banner = $('banner');
  const texts = {
    lost: 'Connection lost. Reconnecting…',
    refused: 'The token in this address is not valid. Open the address printed by palpate view.',
  };
  banner.textContent = texts[word] ?? '';
  banner.hidden = !texts[word];
  // After a restart the server counts from one: everything it sends is new.
  if (word !== 'open') return;
  Object.assign(state, { epoch: 0, status: null, chosen: 0 });
  chooseColour();
}

function showError(text) {
  const banner = $('banner');
  banner.textContent = text;
  banner.hidden = false;
  clearTimeout(showError.timer);
  showError.timer = setTimeout(() => { if (state.connection === 'open') banner.hidden = true; }, 8000);
}

//--------------------------------------------------------------------------------------------------
// Status

function showStatus(status) {
  const before = state.status;
  state.status = status;
  const isEmpty = status.mode === 'empty';
  if (isEmpty && (!before || before.mode !== 'empty')) {
    showGallery(token, (id) => { state.hasFitted = false; connection.sendText(`open ${id}`); });
    document.title = 'Palpate';
  }
  if (isEmpty !== (before?.mode === 'empty')) scrollTo(0, 0);
  $('gallery').hidden = !isEmpty;
  $('studio').hidden = isEmpty;
  if (before && status.error.number > before.error.number) showError(status.error.text);
  if (isEmpty) return;
  if (status.mode === 'replay' && before?.mode !== 'replay') $('view').scrollIntoView({ block: 'nearest' });
  if (document.title !== `${status.scene} – Palpate`) document.title = `${status.scene} – Palpate`;
  $('scene-name').textContent = status.scene;
  $('scene-name').title = status.description;
  const mode = status.recording ? 'recording' : status.mode;
  $('mode').textContent = status.recording ? `recording ${status.recording}` : status.replay ? `replay of ${status.replay.name}` : status.mode;
  $('mode').className = `pill ${mode}`;
  $('pause').textContent = status.mode === 'running' ? 'Pause' : 'Resume';
  $('pause').disabled = status.mode === 'ended' || status.mode === 'replay' || !state.people?.driving;
  $('step').disabled = status.mode === 'ended' || status.mode === 'replay' || !state.people?.driving;
  $('record').textContent = status.recording ? 'Stop' : 'Record';
  $('record').classList.toggle('on', status.recording !== '');
  showNumbers(status);
  showRecordings(status);
  showHands(status);
  showDriver();
}

function showNumbers(status) {
  const isRunning = status.mode === 'running';
  $('pace').textContent = isRunning ? `${status.real_time_factor.toFixed(2)} ×` : status.mode;
  $('pace').className = isRunning && status.real_time_factor < 0.98 ? 'bad' : '';
  const percent = status.steps ? (100 * status.deadline_misses) / status.steps : 0;
  $('misses').textContent = `${status.deadline_misses} of ${status.steps} (${percent.toFixed(2)} %)`;
  $('misses').className = percent > 0.1 ? 'bad' : 'good';
  $('step-time').textContent = `${status.step_us.p50.toFixed(1)} µs, p99 ${status.step_us.p99.toFixed(1)}`;
  $('low-time').textContent = `${status.low_ms.p50.toFixed(2)} ms, p99 ${status.low_ms.p99.toFixed(2)}`;
  $('verdict').textContent = status.verdict;
  $('verdict').className = status.fits ? 'quiet' : 'quiet bad';
  const field = $('colour').value;
  const isMissing = view && field !== 'plain' && view.legend.name !== field;
  $('colour-note').hidden = !isMissing;
  if (isMissing) $('colour-note').textContent = view.hasSoft ? `The ${field} is not available.` : 'The scene has no soft body.';
  $('latency').textContent = `Mouse input is interpolated to ${Math.round(1 / status.dt)} Hz with a latency of ${1e3 * status.latency} ms, plus the network latency.`;
}

function showMessages(messages) {
  $('messages').replaceChildren(...messages.map((text) => {
    const line = document.createElement('p');
    line.textContent = text;
    return line;
  }));
}

function showRecordings(status) {
  const names = status.recordings.slice().sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  const key = names.join('/');
  if ($('recordings').dataset.key !== key) {
    $('recordings').dataset.key = key;
    $('recordings').replaceChildren(...names.map((name) => {
      const item = document.createElement('li');
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = name;
      button.addEventListener('click', () => connection.sendText(`replay ${name}`));
      item.append(button);
      return item;
    }));
    if (!names.length) $('recordings').textContent = `Recordings are stored in ${status.recordings_in}.`;
  }
  $('replay').hidden = status.mode !== 'replay';
  $('hint').hidden = !view || status.mode === 'replay';
  $('replay-note').hidden = status.replay?.bodies !== false;
  if (!status.replay) return;
  const { name, at, seconds, playing } = status.replay;
  $('replay').title = name;
  $('replay-at').textContent = `${at.toFixed(2)} of ${seconds.toFixed(2)} s`;
  $('replay-slider').max = seconds;
  if (document.activeElement !== $('replay-slider') || playing) $('replay-slider').value = at;
  $('replay-play').textContent = playing ? 'Pause' : 'Play';
}

//--------------------------------------------------------------------------------------------------
// User actions

const isRunning = () => state.status?.mode === 'running';
const actions = {
  'to-gallery': () => connection.sendText('gallery'),
  pause: () => connection.sendText(isRunning() ? 'pause' : 'resume'),
  step: () => connection.sendText('step 1'),
  reset: () => connection.sendText('reset'),
  record: () => connection.sendText(state.status?.recording ? 'stop' : 'record'),
  fit: () => { view?.fit(); view?.render(); },
  drive: () => connection.sendText('drive'),
  'replay-play': () => connection.sendText(state.status?.replay?.playing ? 'pause' : 'resume'),
  'replay-end': () => connection.sendText('live'),
  screenshot() {
    if (!view) return;
    const link = document.createElement('a');
    link.href = view.picture();
    link.download = `${state.status.scene}-${state.status.method}.png`;
    link.click();
  },
  sound() {
    sound.toggle();
    $('sound').setAttribute('aria-pressed', sound.isOn);
  },
  theme() {
    localStorage.setItem('theme', document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark');
    followTheme();
  },
  freeze() {
    plots.hold(!plots.isHeld);
    $('freeze').setAttribute('aria-pressed', plots.isHeld);
  },
  copy() {
    const command = controls.command(state.status.file);
    $('command').textContent = command;
    $('command').hidden = false;
    navigator.clipboard?.writeText(command).catch(() => {});
  },
};
for (const [id, action] of Object.entries(actions)) $(id).addEventListener('click', action);

$('replay-slider').addEventListener('input', () => {
  if (state.status?.replay?.playing) connection.sendText('pause');
  connection.sendText(`seek ${Number($('replay-slider').value)}`);
});
$('choose').addEventListener('change', () => {
  if ($('choose').value === '') return;
  state.chosen = Number($('choose').value);
  connection.sendText(`choose ${state.chosen}`);
  hand?.reset();
  plots.clear();
});
$('depth').addEventListener('input', () => { if (hand) hand.depthFraction = Number($('depth').value); });
// The server sends the values of the requested field.
function chooseColour() {
  connection.sendText(`colour ${$('colour').value}`);
}
$('colour').addEventListener('change', chooseColour);

const layerNames = { hand: 'hand and proxy', force: 'force', contacts: 'contacts', patches: 'limited constraints', trust: 'trust region', axes: 'hand axes', wireframe: 'mesh' };
for (const [key, text] of Object.entries(layerNames)) {
  const label = document.createElement('label');
  const box = Object.assign(document.createElement('input'), { type: 'checkbox', id: `layer-${key}`, checked: view?.marks.layers[key] ?? false });
  box.addEventListener('change', () => {
    if (key === 'wireframe') view?.setLook({ wireframe: box.checked });
    else if (view) view.marks.layers[key] = box.checked;
    if (view && !box.checked && key !== 'wireframe') view.marks.clear();
  });
  label.append(box, text);
  $('layers').append(label);
}

const keys = { ' ': 'pause', n: 'step', r: 'reset', f: 'fit', h: 'freeze' };
addEventListener('keydown', (event) => {
  const isTyping = /^(INPUT|SELECT|TEXTAREA|BUTTON|SUMMARY)$/.test(event.target.tagName);
  const id = keys[event.key];
  if (!id || isTyping || event.ctrlKey || event.metaKey || event.altKey || $(id).disabled) return;
  event.preventDefault();
  $(id).click();
});

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  plots.rebuild();
}
// The system's colour scheme, unless the user chose one.
const prefersDark = matchMedia('(prefers-color-scheme: dark)');
const followTheme = () => setTheme(localStorage.getItem('theme') ?? (prefersDark.matches ? 'dark' : 'light'));
prefersDark.addEventListener('change', followTheme);
followTheme();

// The camera also moves between frames.
(function animate() {
  view?.render();
  placeForceLabel();
  requestAnimationFrame(animate);
})();
