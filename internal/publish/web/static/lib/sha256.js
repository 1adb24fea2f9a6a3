// SHA-256, and HMAC with it, on texts. It is our own because crypto.subtle does
// not exist on plain http, and is slower for inputs as short as a proof's.
const K = new Uint32Array(64);

// start is the state before the first block.
export const start = new Int32Array(8);
{
  // The constants are the fractions of the roots of the first primes.
  const fraction = x => ((x - Math.floor(x)) * 2 ** 32) | 0;
  for (let n = 2, found = 0; found < 64; n++) {
    let prime = true;
    for (let d = 2; d * d <= n; d++)
      if (n % d === 0) {
        prime = false;
        break;
      }
    if (!prime) continue;
    if (found < 8) start[found] = fraction(Math.sqrt(n));
    K[found++] = fraction(Math.cbrt(n));
  }
}

const w = new Int32Array(64);

// compress takes a block of 64 bytes into a state.
export function compress(state, bytes, offset) {
  for (let i = 0; i < 16; i++, offset += 4)
    w[i] = (bytes[offset] << 24) | (bytes[offset + 1] << 16) | (bytes[offset + 2] << 8) | bytes[offset + 3];
  for (let i = 16; i < 64; i++) {
    const x = w[i - 15];
    const y = w[i - 2];
    w[i] =
      (w[i - 16] +
        (((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3)) +
        w[i - 7] +
        (((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10))) |
      0;
  }
  let a = state[0];
  let b = state[1];
  let c = state[2];
  let d = state[3];
  let e = state[4];
  let f = state[5];
  let g = state[6];
  let h = state[7];
  for (let i = 0; i < 64; i++) {
    const one =
      (h +
        (((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))) +
        ((e & f) ^ (~e & g)) +
        K[i] +
        w[i]) |
      0;
    const two =
      ((((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))) +
        ((a & b) ^ (a & c) ^ (b & c))) |
      0;
    h = g;
    g = f;
    f = e;
    e = (d + one) | 0;
    d = c;
    c = b;
    b = a;
    a = (one + two) | 0;
  }
  state[0] = (state[0] + a) | 0;
  state[1] = (state[1] + b) | 0;
  state[2] = (state[2] + c) | 0;
  state[3] = (state[3] + d) | 0;
  state[4] = (state[4] + e) | 0;
  state[5] = (state[5] + f) | 0;
  state[6] = (state[6] + g) | 0;
  state[7] = (state[7] + h) | 0;
}

// sha256 returns the digest of bytes.
export function sha256(bytes) {
  const state = start.slice();
  const padded = new Uint8Array(((bytes.length + 9 + 63) >> 6) << 6);
  const digest = new Uint8Array(32);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  new DataView(padded.buffer).setUint32(padded.length - 4, bytes.length * 8);
  for (let at = 0; at < padded.length; at += 64) compress(state, padded, at);
  const view = new DataView(digest.buffer);
  for (const [i, word] of state.entries()) view.setInt32(i * 4, word);
  return digest;
}

// hmac returns the HMAC of bytes under a key of any length.
export function hmac(key, bytes) {
  const block = new Uint8Array(64);
  const join = (pad, rest) => {
    const all = new Uint8Array(64 + rest.length);
    all.set(block.map(b => b ^ pad));
    all.set(rest, 64);
    return all;
  };
  block.set(key.length > 64 ? sha256(key) : key);
  return sha256(join(0x5c, sha256(join(0x36, bytes))));
}
