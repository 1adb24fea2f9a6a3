// SHA-256 of challenge and nonce, as text joined together. It is our own
// because crypto.subtle does not exist on plain http, and is slower for inputs
// this short. Whole leading blocks of the challenge are hashed once.
const K = new Uint32Array(64), start = new Int32Array(8);
{ // The constants are the fractions of the roots of the first primes.
  const fraction = x => ((x - Math.floor(x)) * 2 ** 32) | 0;
  for (let n = 2, found = 0; found < 64; n++) {
    let prime = true;
    for (let d = 2; d * d <= n; d++) if (n % d === 0) { prime = false; break; }
    if (!prime) continue;
    if (found < 8) start[found] = fraction(Math.sqrt(n));
    K[found++] = fraction(Math.cbrt(n));
  }
}

const w = new Int32Array(64);

function compress(state, bytes, offset) {
  for (let i = 0; i < 16; i++, offset += 4) w[i] = bytes[offset] << 24 | bytes[offset + 1] << 16 | bytes[offset + 2] << 8 | bytes[offset + 3];
  for (let i = 16; i < 64; i++) {
    const x = w[i - 15], y = w[i - 2];
    w[i] = (w[i - 16] + ((x >>> 7 | x << 25) ^ (x >>> 18 | x << 14) ^ x >>> 3) + w[i - 7] + ((y >>> 17 | y << 15) ^ (y >>> 19 | y << 13) ^ y >>> 10)) | 0;
  }
  let a = state[0], b = state[1], c = state[2], d = state[3], e = state[4], f = state[5], g = state[6], h = state[7];
  for (let i = 0; i < 64; i++) {
    const one = (h + ((e >>> 6 | e << 26) ^ (e >>> 11 | e << 21) ^ (e >>> 25 | e << 7)) + (e & f ^ ~e & g) + K[i] + w[i]) | 0;
    const two = (((a >>> 2 | a << 30) ^ (a >>> 13 | a << 19) ^ (a >>> 22 | a << 10)) + (a & b ^ a & c ^ b & c)) | 0;
    h = g; g = f; f = e; e = (d + one) | 0; d = c; c = b; b = a; a = (one + two) | 0;
  }
  state[0] = (state[0] + a) | 0; state[1] = (state[1] + b) | 0; state[2] = (state[2] + c) | 0; state[3] = (state[3] + d) | 0;
  state[4] = (state[4] + e) | 0; state[5] = (state[5] + f) | 0; state[6] = (state[6] + g) | 0; state[7] = (state[7] + h) | 0;
}

function zeroBits(state) {
  let bits = 0;
  for (const word of state) {
    bits += Math.clz32(word);
    if (word !== 0) break;
  }
  return bits;
}

onmessage = ({ data: { challenge, difficulty } }) => {
  const text = new TextEncoder().encode(challenge), whole = text.length >> 6 << 6, middle = start.slice(), state = new Int32Array(8);
  for (let at = 0; at < whole; at += 64) compress(middle, text, at);
  const rest = text.subarray(whole), last = new Uint8Array(128);
  last.set(rest);
  for (let n = 0; ; n++) {
    const nonce = String(n);
    let length = rest.length;
    for (let i = 0; i < nonce.length; i++) last[length++] = nonce.charCodeAt(i);
    const end = length + 9 <= 64 ? 64 : 128, bits = (whole + length) * 8;
    last.fill(0, length, end);
    last[length] = 0x80;
    last[end - 4] = bits >>> 24; last[end - 3] = bits >>> 16; last[end - 2] = bits >>> 8; last[end - 1] = bits;
    state.set(middle);
    compress(state, last, 0);
    if (end === 128) compress(state, last, 64);
    if (zeroBits(state) >= difficulty) { postMessage({ nonce }); return; }
    if (n % 50000 === 49999) postMessage({ tried: n + 1 });
  }
};
