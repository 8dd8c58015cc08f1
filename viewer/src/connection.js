// SPDX-License-Identifier: Apache-2.0
// The socket: reconnects automatically, and acknowledges a frame only after it has been drawn, so that
// the server does not send more than this page can display.
import { ackMessage, readFrame } from './frame.js';

const retryFirst = 400; // ms
const retryMax = 3000;

export class Connection {
  // on: {frame(frame), people(object), state(word)} with word 'open', 'lost' or 'refused'; `people` is
  // the list of clients
  constructor(token, on) {
    this.token = token;
    this.on = on;
    this.retry = retryFirst;
    this.open();
  }

  open() {
    const socket = new WebSocket(`ws://${location.host}/socket?token=${encodeURIComponent(this.token)}`);
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => { this.retry = retryFirst; this.on.state('open'); };
    socket.onmessage = (event) => this.receive(event.data);
    socket.onclose = () => this.reconnect();
    this.socket = socket;
  }

  receive(data) {
    if (typeof data === 'string') this.on.people(JSON.parse(data));
    else this.on.frame(readFrame(data));
  }

  // If the server answers requests with 403, the token is wrong.
  async reconnect() {
    const answer = await fetch(`gallery?token=${encodeURIComponent(this.token)}`).catch(() => null);
    this.on.state(answer && answer.status === 403 ? 'refused' : 'lost');
    setTimeout(() => this.open(), this.retry);
    this.retry = Math.min(1.6 * this.retry, retryMax);
  }

  get isOpen() { return this.socket.readyState === WebSocket.OPEN; }
  sendText(text) { if (this.isOpen) this.socket.send(text); }
  send(buffer) { if (this.isOpen) this.socket.send(buffer); }
  acknowledge(number) { this.send(ackMessage(number)); }
}
