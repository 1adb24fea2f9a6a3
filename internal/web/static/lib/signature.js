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
  if (!want) return 'Invalid secret: it must be whsec_ and base64.';
  const given = signature.trim().split(/\s+/);
  if (given.includes(want))
    return Math.abs(now - Number(timestamp)) > 300
      ? 'The signature is valid, but the timestamp is more than 300 seconds off, so a receiver rejects it.'
      : '';
  for (const [other, why] of [
    [body.trim(), 'white space was added to or removed from the body'],
    [`${body}\n`, 'a line break at the end of the body is missing'],
    [body.replace(/\r\n/g, '\n'), 'line breaks of the body were changed'],
  ]) {
    if (given.includes(sign(secret, id.trim(), timestamp.trim(), other))) return `The signature is invalid: ${why}.`;
  }
  if (!given.some(s => s.startsWith('v1,'))) return 'Not a signature: it must begin with v1, and be base64.';
  return 'The signature is invalid: the secret or the body is different.';
}
