// Signatures of webhooks, as the server makes them: v1, and the base64 of an
// HMAC-SHA256 over id, timestamp and the raw body.
import { hmac } from './sha256.js';

const bytes = text => new TextEncoder().encode(text);

// sign returns the signature of a delivery, null when the secret is none.
export function sign(secret, id, timestamp, body) {
  try {
    const key = Uint8Array.from(atob(secret.trim().replace(/^whsec_/, '')), c => c.charCodeAt(0));
    return `v1,${btoa(String.fromCharCode(...hmac(key, bytes(`${id}.${timestamp}.${body}`))))}`;
  } catch {
    return null;
  }
}

// judge says what is wrong with a captured delivery, '' for nothing. now is in
// seconds.
export function judge({ secret, id, timestamp, signature, body }, now) {
  const want = sign(secret, id.trim(), timestamp.trim(), body);
  if (!want) return 'The secret is none: it is whsec_ and base64.';
  const given = signature.trim().split(/\s+/);
  if (given.includes(want))
    return Math.abs(now - Number(timestamp)) > 300
      ? 'The signature fits, but the timestamp is more than 300 seconds off: a receiver turns it away.'
      : '';
  for (const [other, why] of [
    [body.trim(), 'white space was added to the body or taken from it'],
    [`${body}\n`, 'a line break at the end of the body is missing'],
    [body.replace(/\r\n/g, '\n'), 'line breaks of the body were changed'],
  ]) {
    if (given.includes(sign(secret, id.trim(), timestamp.trim(), other))) return `The signature does not fit: ${why}.`;
  }
  if (!given.some(s => s.startsWith('v1,'))) return 'The signature is none: it begins with v1, and is base64.';
  return 'The signature does not fit: another secret, or a body that differs from the sent one.';
}
