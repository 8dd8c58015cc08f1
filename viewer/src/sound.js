// SPDX-License-Identifier: Apache-2.0
// The force as a tone: pitch and loudness follow its magnitude, and each jump is a click.
const lowest = 110; // Hz at zero force
const octavesPerNewton = 0.35;
const loudest = 0.12;
const jumpMin = 0.15; // N between frames, for a click

export class Sound {
  constructor() { this.context = null; this.last = 0; }
  get isOn() { return this.context !== null; }

  toggle() {
    if (this.context) {
      this.context.close();
      this.context = null;
      return;
    }
    this.context = new AudioContext();
    this.tone = this.context.createOscillator();
    this.loudness = this.context.createGain();
    this.loudness.gain.value = 0;
    this.tone.connect(this.loudness).connect(this.context.destination);
    this.tone.start();
  }

  update(newtons) {
    const jump = Math.abs(newtons - this.last);
    this.last = newtons;
    if (!this.context) return;
    const now = this.context.currentTime;
    this.tone.frequency.setTargetAtTime(lowest * 2 ** (octavesPerNewton * Math.min(newtons, 10)), now, 0.02);
    this.loudness.gain.setTargetAtTime(newtons > 0.02 ? loudest * Math.min(1, 0.3 + newtons / 5) : 0, now, 0.02);
    if (jump > jumpMin) this.click(Math.min(1, jump / 2));
  }

  click(strength) {
    const gain = this.context.createGain();
    const source = this.context.createOscillator();
    const now = this.context.currentTime;
    source.type = 'square';
    source.frequency.value = 1400;
    gain.gain.setValueAtTime(loudest * strength, now);
    gain.gain.exponentialRampToValueAtTime(1e-4, now + 0.03);
    source.connect(gain).connect(this.context.destination);
    source.start(now);
    source.stop(now + 0.04);
  }
}
