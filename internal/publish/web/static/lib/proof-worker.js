// SHA-256 of challenge and nonce, as text joined together. Whole leading blocks
// of the challenge are hashed once.
import { compress, start } from './sha256.js';

function zeroBits(state) {
  let bits = 0;
  for (const word of state) {
    bits += Math.clz32(word);
    if (word !== 0) break;
  }
  return bits;
}

addEventListener('message', ({ data: { challenge, difficulty } }) => {
  const text = new TextEncoder().encode(challenge);
  const whole = (text.length >> 6) << 6;
  const middle = start.slice();
  const state = new Int32Array(8);
  for (let at = 0; at < whole; at += 64) compress(middle, text, at);
  const rest = text.subarray(whole);
  const last = new Uint8Array(128);
  last.set(rest);
  for (let n = 0; ; n++) {
    const nonce = String(n);
    let length = rest.length;
    for (let i = 0; i < nonce.length; i++) last[length++] = nonce.charCodeAt(i);
    const end = length + 9 <= 64 ? 64 : 128;
    const bits = (whole + length) * 8;
    last.fill(0, length, end);
    last[length] = 0x80;
    last[end - 4] = bits >>> 24;
    last[end - 3] = bits >>> 16;
    last[end - 2] = bits >>> 8;
    last[end - 1] = bits;
    state.set(middle);
    compress(state, last, 0);
    if (end === 128) compress(state, last, 64);
    if (zeroBits(state) >= difficulty) {
      postMessage({ nonce });
      return;
    }
    if (n % 50000 === 49999) postMessage({ tried: n + 1 });
  }
});
