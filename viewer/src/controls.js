// SPDX-License-Identifier: Apache-2.0
// The scene's values as form fields. Each change is a --set; the server checks it and rebuilds the
// scene.
const main = [/^method\.name$/, /^(hands\.\d+\.)?device\.driver$/, /^(hands\.\d+\.)?coupling\.(stiffness|damping)$/, /^objects\.\d+\.friction$/, /^time\.(dt|low_dt)$/, /^method\.(radius|limits)$/, /^method\.penalty_/];
const fixed = /^(palpate|name|description|time\.seconds)$/;

function isMain(value, method) {
  if (/penalty_/.test(value.path)) return method === 'penalty';
  if (/limits$/.test(value.path)) return method === 'accurate';
  return main.some((pattern) => pattern.test(value.path));
}

function input(value) {
  if (value.names) {
    const select = document.createElement('select');
    for (const name of value.names) select.add(new Option(name, name, false, name === value.value));
    return select;
  }
  const field = document.createElement('input');
  const isNumber = value.type === 'number' || value.type === 'whole';
  const isSpecified = !isNumber || !Number.isNaN(Number(value.value));
  field.type = isNumber ? 'number' : 'text';
  if (isNumber) Object.assign(field, { min: value.low, max: value.high, step: 'any' });
  if (isSpecified) field.value = value.value;
  else field.placeholder = value.value;
  return field;
}

function field(value, isChanged, set) {
  const label = document.createElement('label');
  label.className = isChanged ? 'field changed' : 'field';
  label.title = value.low === undefined ? value.meaning : `${value.meaning} (${value.low} to ${value.high} ${value.unit ?? ''})`;
  const name = document.createElement('span');
  name.textContent = value.path;
  if (value.unit) {
    const unit = document.createElement('span');
    unit.className = 'unit';
    unit.textContent = ` ${value.unit}`;
    name.append(unit);
  }
  const control = input(value);
  control.name = value.path;
  control.addEventListener('change', () => set(value.path, control.value));
  label.append(name, control);
  return label;
}

const quoted = (text) => (/^[\w.=:/@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

export class Controls {
  constructor(mainForm, allForm, sendText) {
    this.forms = [mainForm, allForm];
    this.sendText = sendText;
    this.sets = [];
    for (const form of this.forms) form.addEventListener('submit', (event) => event.preventDefault());
  }

  // Rebuilds the forms; the focus stays on the same field.
  show({ values = [], sets = [] }) {
    const focused = document.activeElement?.name;
    const within = this.forms.findIndex((form) => form.contains(document.activeElement));
    const method = values.find((value) => value.path === 'method.name')?.value;
    const changed = new Set(sets.map((text) => text.split('=')[0]));
    const set = (path, text) => this.sendText(text === '' ? `unset ${path}` : `set ${path}=${text}`);
    this.sets = sets;
    const make = (value) => field(value, changed.has(value.path), set);
    this.forms[0].replaceChildren(...values.filter((value) => isMain(value, method)).map(make));
    this.forms[1].replaceChildren(...values.filter((value) => !fixed.test(value.path)).map(make));
    if (within >= 0) this.forms[within].elements.namedItem(focused)?.focus();
  }

  // The command line for the scene with its current changes.
  command(file) {
    const sets = this.sets.filter((text) => text !== 'device.driver=browser');
    return ['palpate view', quoted(file), ...sets.map((text) => `--set ${quoted(text)}`)].join(' ');
  }
}
