// Proofs of work: a nonce whose hash with the challenge begins with so many zero bits. SHA-256 is our own, because
// crypto.subtle does not exist on plain http, and is slower for inputs as short as these.

// The hardest task that is begun.
const MOST_BITS = 28;
// So many nonces are tried before the rest of the program has its turn.
const STRIDE = 1 << 14;

const K = new Uint32Array(64);
const START = new Int32Array(8);
for (let n = 2, found = 0; found < 64; n++) {
  if (Array.from({ length: n - 2 }, (_, i) => i + 2).some(d => n % d === 0)) continue;
  const fraction = x => ((x - Math.floor(x)) * 2 ** 32) | 0;
  if (found < 8) START[found] = fraction(Math.sqrt(n));
  K[found++] = fraction(Math.cbrt(n));
}

const w = new Int32Array(64);

function compress(state, bytes, offset) {
  for (let i = 0; i < 16; i++, offset += 4)
    w[i] = (bytes[offset] << 24) | (bytes[offset + 1] << 16) | (bytes[offset + 2] << 8) | bytes[offset + 3];
  for (let i = 16; i < 64; i++) {
    const x = w[i - 15];
    const y = w[i - 2];
    const s = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const z = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    w[i] = (w[i - 16] + s + w[i - 7] + z) | 0;
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let i = 0; i < 64; i++) {
    const s = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const one = (h + s + ((e & f) ^ (~e & g)) + K[i] + w[i]) | 0;
    const z = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const two = (z + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + one) | 0;
    d = c;
    c = b;
    b = a;
    a = (one + two) | 0;
  }
  [a, b, c, d, e, f, g, h].forEach((word, i) => {
    state[i] = (state[i] + word) | 0;
  });
}

// zeros counts the zero bits at the beginning of the hash of a text.
function zeros(bytes) {
  const state = START.slice();
  const padded = new Uint8Array((bytes.length + 9 + 63) & ~63);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  new DataView(padded.buffer).setUint32(padded.length - 4, bytes.length * 8);
  for (let at = 0; at < padded.length; at += 64) compress(state, padded, at);
  let bits = 0;
  for (const word of state) {
    bits += Math.clz32(word);
    if (word !== 0) break;
  }
  return bits;
}

/** A function that resolves to the proof for a task, or null where there is none that should be begun. */
export function solve(challenge, difficulty, signal) {
  if (typeof challenge !== 'string' || challenge === '' || !(difficulty <= MOST_BITS)) return null;
  const encoder = new TextEncoder();
  return async () => {
    for (let nonce = 0; ; nonce++) {
      if (nonce % STRIDE === 0) {
        await new Promise(resolve => setTimeout(resolve));
        signal?.throwIfAborted();
      }
      if (zeros(encoder.encode(challenge + nonce)) >= difficulty) return `${challenge}.${nonce}`;
    }
  };
}
