// SPDX-License-Identifier: Apache-2.0
// The socket: reconnects by itself, and acknowledges a frame only once it has been used, so that the
// server never sends more than this page can show.
import { ackMessage, readFrame } from './frame.js';

const retryFirst = 400; // ms
const retryMost = 3000;

export class Connection {
  // on: {frame(frame), people(object), state(word)} with word 'open', 'lost' or 'refused'
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
    socket.onclose = () => this.lose();
    this.socket = socket;
  }

  receive(data) {
    if (typeof data === 'string') this.on.people(JSON.parse(data));
    else this.on.frame(readFrame(data));
  }

  // A server that answers pages but no sockets does not know the token.
  async lose() {
    const answer = await fetch(`gallery?token=${encodeURIComponent(this.token)}`).catch(() => null);
    this.on.state(answer && answer.status === 403 ? 'refused' : 'lost');
    setTimeout(() => this.open(), this.retry);
    this.retry = Math.min(1.6 * this.retry, retryMost);
  }

  get isOpen() { return this.socket.readyState === WebSocket.OPEN; }
  say(text) { if (this.isOpen) this.socket.send(text); }
  send(buffer) { if (this.isOpen) this.socket.send(buffer); }
  acknowledge(number) { this.send(ackMessage(number)); }
}
