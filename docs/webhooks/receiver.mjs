// Receives Platen's webhooks. Needs nothing but Node.js 18.

import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const toleranceS = 300;
const bodyMost = 64 * 1024; // bytes; a body has 4,096 at most
const key = Buffer.from(process.env.PLATEN_WEBHOOK_SECRET.replace(/^whsec_/, ''), 'base64');

const seen = new Set(); // keep it in your database: it must outlive the program

// verify returns why the request must be rejected, or null: it was signed with
// our secret, just now.
function verify(headers, body) {
  const { 'webhook-id': id = '', 'webhook-timestamp': stamp = '', 'webhook-signature': signatures = '' } = headers;
  if (!/^\d{1,15}$/.test(stamp)) return 'the timestamp is no number';
  if (Math.abs(Date.now() / 1000 - Number(stamp)) > toleranceS) return 'the timestamp is too far from this clock';
  const digest = createHmac('sha256', key).update(`${id}.${stamp}.`).update(body).digest('base64');
  const want = Buffer.from(`v1,${digest}`);
  // For a day after a rotation there are two signatures. One has to fit.
  for (const signature of signatures.split(' ')) {
    const got = Buffer.from(signature);
    if (got.length === want.length && timingSafeEqual(got, want)) return null; // in constant time
  }
  return 'no signature fits';
}

// raw reads the body as bytes. What was parsed and written again has another
// signature: with a framework, ask it for the raw body.
async function raw(request) {
  const pieces = [];
  let size = 0;
  for await (const piece of request) {
    size += piece.length;
    if (size > bodyMost) throw new Error('the body is too large');
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

createServer(async (request, response) => {
  try {
    const body = await raw(request);
    const rejection = verify(request.headers, body);
    if (rejection) return response.writeHead(401).end(rejection);
    const event = JSON.parse(body);
    if (!seen.has(event.id)) { // the same event can come more than once
      seen.add(event.id);
      // A retry can arrive late: event.created_at is the order, compared as text.
      console.log('handled', event.id, event.type);
    }
    // Respond within 5 seconds: do slow work after the response.
    return response.writeHead(204).end();
  } catch (error) {
    return response.writeHead(400).end(error.message);
  }
}).listen(Number(process.env.PORT), '127.0.0.1');
