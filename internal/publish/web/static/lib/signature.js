// Signatures of webhooks, as the server makes them: v1, and the base64 of an HMAC-SHA256 over id, timestamp and the
// raw body. The server tells why one is invalid (/console/data/verify).
import { hmac } from './sha256.js';

const bytes = text => new TextEncoder().encode(text);
const binary = text => Uint8Array.from(atob(text), c => c.charCodeAt(0));
const base64 = digest => btoa(String.fromCharCode(...digest));

const standard = /^(?:[\w+/]{4})*(?:[\w+/]{2}==|[\w+/]{3}=)?$/;

// sign returns the signature of a delivery, null when the secret is none.
export function sign(secret, id, timestamp, body) {
  const key = secret.trim().replace(/^whsec_/, '');
  if (!key || !standard.test(key) || key.includes('_')) return null;
  return `v1,${base64(hmac(binary(key), bytes(`${id}.${timestamp}.${body}`)))}`;
}
