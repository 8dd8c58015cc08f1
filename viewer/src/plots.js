// SPDX-License-Identifier: Apache-2.0
// Plots of every high-rate step of the last ten seconds, redrawn a few times per second.
import uPlot from 'uplot';
import { tickColumns } from './frame.js';

const seconds = 10;
const drawPeriod = 120; // ms
const height = 8.5; // rem
const capacity = 1 << 18; // samples, before the oldest are dropped
const histogramBins = 30; // six per decade, from 0.1 µs to 10 ms
const column = Object.fromEntries(tickColumns.map((name, i) => [name, i + 1]));

// The samples, one typed array per column.
class Store {
  constructor() { this.arrays = [new Float64Array(capacity), ...tickColumns.map(() => new Float32Array(capacity))]; this.clear(); }
  clear() { this.length = 0; this.begin = 0; }
  add(ticks) {
    if (ticks.restart) this.clear();
    if (this.length + ticks.count > capacity) this.drop(Math.max(this.begin, this.length + ticks.count - capacity));
    for (let i = 0; i < ticks.count; i++) {
      const row = i * ticks.width;
      this.arrays[0][this.length] = ticks.t0 + ticks.rows[row];
      for (let k = 1; k < ticks.width; k++) this.arrays[k][this.length] = ticks.rows[row + k];
      this.length++;
    }
    const oldest = this.latest - seconds;
    while (this.begin < this.length && this.arrays[0][this.begin] < oldest) this.begin++;
  }
  drop(count) {
    for (const array of this.arrays) array.copyWithin(0, count, this.length);
    this.length -= count;
    this.begin = Math.max(0, this.begin - count);
  }
  get latest() { return this.length ? this.arrays[0][this.length - 1] : 0; }
  get count() { return this.length - this.begin; }
  column(i) { return this.arrays[i].subarray(this.begin, this.length); }
}

function magnitude(store) {
  const [x, y, z] = [column.fx, column.fy, column.fz].map((i) => store.column(i));
  return Float32Array.from(x, (value, i) => Math.hypot(value, y[i], z[i]));
}

function histogram(values) {
  const counts = new Array(histogramBins).fill(0);
  for (const value of values) counts[Math.min(Math.max(Math.floor(6 * (Math.log10(Math.max(value, 1e-3)) + 1)), 0), histogramBins - 1)]++;
  return [counts.map((_, i) => 10 ** (i / 6 - 1)), counts.map((count) => count || null)];
}

// Gaps where the device cannot tell.
function millijoules(values) { return Array.from(values, (e) => (Number.isNaN(e) ? null : 1e3 * e)); }

const definitions = [
  { title: 'force on the hand, N', lines: [['x', '--x'], ['y', '--y'], ['z', '--z'], ['|F|', '--mag']],
    data: (s) => [s.column(0), s.column(column.fx), s.column(column.fy), s.column(column.fz), magnitude(s)] },
  { title: 'high-rate step, µs', lines: [['steps', '--z']], isHistogram: true, data: (s) => histogram(s.column(column.step)) },
  { title: 'age of the snapshot, ms', lines: [['age', '--z']], data: (s) => [s.column(0), s.column(column.age)] },
  { title: 'solver', lines: [['iterations', '--z'], ['active rows', '--x'], ['contacts', '--y']], data: (s) => [s.column(0), s.column(column.iterations), s.column(column.active), s.column(column.contacts)] },
  { title: 'work of the force, mJ', lines: [['on the device', '--y'], ['received by the simulated hand', '--mag']], data: (s) => [s.column(0), millijoules(s.column(column.energy)), millijoules(s.column(column.handEnergy))] },
];

function colour(name) { return getComputedStyle(document.documentElement).getPropertyValue(name).trim(); }

// Decades, and every second decade, which is labelled.
const isDecade = (value) => value !== null && Math.abs(Math.log10(value) - Math.round(Math.log10(value))) < 1e-6;
const isMarked = (value) => isDecade(value) && Math.round(Math.log10(value)) % 2 === 0;
const only = (isKept) => (u, ticks) => ticks.map((value) => (isKept(value) ? value : null));
const numbers = (u, ticks) => ticks.map((value) => (value === null ? '' : Math.abs(value) >= 1e4 ? `${+(value / 1e3).toPrecision(6)}k` : +value.toPrecision(6)));

// Sizes scale with the font size of the page.
function options(definition, width) {
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
  const { isHistogram } = definition;
  const grid = { stroke: colour('--line'), width: 1, ...(isHistogram ? { filter: only(isDecade) } : {}) };
  const axis = { stroke: colour('--quiet'), grid, ticks: { show: false }, font: `${0.73 * rem}px system-ui`, gap: 2, values: numbers };
  const bars = uPlot.paths.bars({ size: [0.9, 40] });
  return {
    width, height: height * rem, legend: { show: false }, cursor: { drag: { x: false, y: false }, points: { size: 5 } },
    scales: isHistogram ? { x: { time: false, distr: 3 }, y: { distr: 3, log: 10, range: (u, low, high) => [0.5, Math.max(high, 2)] } } : { x: { time: false } },
    axes: [
      { ...axis, size: 1.35 * rem, space: 3.4 * rem, ...(isHistogram ? { filter: only(isMarked) } : {}) },
      { ...axis, size: 2.3 * rem, space: 1.4 * rem },
    ],
    series: [{}, ...definition.lines.map(([label, name]) => ({
      label, stroke: colour(name), width: 0.08 * rem, points: { show: false },
      ...(isHistogram ? { paths: bars, fill: colour(name) } : {}),
    }))],
  };
}

export class Plots {
  constructor(parent) {
    this.parent = parent;
    this.store = new Store();
    this.isHeld = false;
    this.panes = definitions.map((definition) => {
      const pane = document.createElement('div');
      pane.className = 'plot';
      const title = document.createElement('h3');
      title.textContent = definition.title;
      if (definition.lines.length > 1) for (const [label, name] of definition.lines) {
        const key = document.createElement('span');
        const mark = document.createElement('i');
        mark.style.background = `var(${name})`;
        key.append(mark, label);
        title.append(key);
      }
      const holder = document.createElement('div');
      pane.append(title, holder);
      parent.append(pane);
      return { definition, holder, plot: null };
    });
    new ResizeObserver(() => this.rebuild()).observe(parent);
    setInterval(() => this.draw(), drawPeriod);
  }

  add(ticks) { this.store.add(ticks); this.isStale = true; }
  clear() { this.store.clear(); this.isStale = true; }
  hold(isHeld) { this.isHeld = isHeld; }

  // Recreates the plots with the current colours and sizes.
  rebuild() {
    for (const pane of this.panes) {
      pane.plot?.destroy();
      pane.plot = null;
    }
    this.isStale = true;
    this.draw(true);
  }

  draw(force) {
    if (!force && (this.isHeld || !this.isStale || !this.parent.offsetParent || document.hidden)) return;
    this.isStale = false;
    if (this.store.count < 2) return;
    for (const pane of this.panes) {
      const width = pane.holder.clientWidth;
      if (!width) continue;
      const data = pane.definition.data(this.store);
      if (pane.plot) pane.plot.setData(data);
      else pane.plot = new uPlot(options(pane.definition, width), data, pane.holder);
    }
  }
}
