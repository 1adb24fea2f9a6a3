// Webhooks: signatures as Standard Webhooks has them.

const TOLERANCE_S = 300;

/** A webhook that must be rejected. Its message is the reason. */
export class WebhookError extends Error {
  name = 'WebhookError';
}

/**
 * Checks that a webhook was signed with the secret, just now, and returns its event. The body must be the raw one:
 * JSON that was parsed and written again has another signature.
 */
export async function verifyWebhook({ secret, headers, body, toleranceS = TOLERANCE_S, now = Date.now() }) {
  const id = header(headers, 'webhook-id');
  const stamp = header(headers, 'webhook-timestamp');
  if (!id) throw new WebhookError('there is no webhook-id');
  if (!/^\d{1,15}$/.test(stamp)) throw new WebhookError('the timestamp is no number');
  if (Math.abs(now / 1000 - Number(stamp)) > toleranceS) {
    throw new WebhookError('the timestamp is too far from this clock');
  }
  const raw = bytes(body);
  const message = signed(id, stamp, raw);
  // For a day after a rotation there are two signatures. One has to fit.
  const signatures = header(headers, 'webhook-signature')
    .split(' ')
    .filter(text => text.startsWith('v1,'));
  for (const one of [secret].flat()) {
    const key = await imported(one, 'verify');
    for (const signature of signatures) {
      const mac = decoded(signature.slice(3));
      if (mac && (await globalThis.crypto.subtle.verify('HMAC', key, mac, message))) return event(raw);
    }
  }
  throw new WebhookError('no signature fits');
}

/** Signs a body as the server does, for tests of a receiver. It returns the headers. */
export async function signWebhook({ secret, id, body, timestamp = Math.floor(Date.now() / 1000) }) {
  const signatures = [];
  for (const one of [secret].flat()) {
    const mac = await globalThis.crypto.subtle.sign(
      'HMAC',
      await imported(one, 'sign'),
      signed(id, String(timestamp), bytes(body)),
    );
    signatures.push(`v1,${btoa(String.fromCharCode(...new Uint8Array(mac)))}`);
  }
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': signatures.join(' ') };
}

function event(raw) {
  try {
    return JSON.parse(new TextDecoder().decode(raw));
  } catch {
    throw new WebhookError('the body is no JSON');
  }
}

function imported(secret, use) {
  const key = typeof secret === 'string' && decoded(secret.replace(/^whsec_/, ''));
  if (!key?.length) throw new TypeError('platen: the secret must be like whsec_…, with Base64 behind it');
  // Browsers have it where a page cannot be changed on its way.
  if (!globalThis.crypto.subtle) throw new TypeError('platen: signatures in a browser need https or localhost');
  return globalThis.crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, [use]);
}

function signed(id, stamp, body) {
  const head = new TextEncoder().encode(`${id}.${stamp}.`);
  const all = new Uint8Array(head.length + body.length);
  all.set(head);
  all.set(body, head.length);
  return all;
}

function bytes(body) {
  if (typeof body === 'string') return new TextEncoder().encode(body);
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  throw new TypeError('platen: the body must be the raw one, as bytes or as text');
}

function decoded(text) {
  try {
    return Uint8Array.from(atob(text), character => character.charCodeAt(0));
  } catch {
    return null;
  }
}

// header reads a header of a Headers object, or of a plain one as node:http has it.
function header(headers, name) {
  if (typeof headers?.get === 'function') return headers.get(name) ?? '';
  for (const [key, value] of Object.entries(headers ?? {})) {
    if (key.toLowerCase() === name) return Array.isArray(value) ? value.join(' ') : String(value);
  }
  return '';
}
