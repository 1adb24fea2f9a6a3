import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { origin } from './browser.mjs';
import { json } from './server.mjs';
import { Refusal, afterWrite, call, parse, randomKey, sleep } from '../../internal/publish/web/static/lib/api.js';

// answering lets the next call be answered, and returns what it sent.
function answering(answer) {
  const sent = {};
  globalThis.fetch = async (path, options) => {
    Object.assign(sent, { path, ...options });
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return sent;
}
const refusalOf = promise =>
  promise.then(
    () => assert.fail('it was not refused'),
    error => error,
  );

afterEach(() => {
  delete globalThis.fetch;
});

test('a call resolves to the data of its envelope', async () => {
  answering(json({ data: { id: 'so_1' }, meta: { request_id: 'req_1' } }, 201));
  const { status, data, meta } = await call('/v1/sandbox');
  assert.deepEqual([status, data, meta], [201, { id: 'so_1' }, { request_id: 'req_1' }]);
});

test('an answer without an envelope is the data itself', async () => {
  answering(json({ openapi: '3.1.0' }));
  assert.deepEqual((await call('/openapi.json')).data, { openapi: '3.1.0' });
});

test('a response whose body breaks off is none', async () => {
  for (const body of ['', '{"data": {"history": [', '<html>']) {
    answering(new Response(body, { status: 200 }));
    const refusal = await refusalOf(call('/console/data/attention'));
    assert.ok(refusal instanceof Refusal, `${refusal}`);
    assert.deepEqual([refusal.status, refusal.code], [0, 'unreachable']);
  }
  answering(new Response(null, { status: 204 }));
  assert.equal((await call('/v1/sandbox', { method: 'DELETE' })).status, 204);
});

test('a body that is left while it comes is not a refusal', async () => {
  const body = new ReadableStream({ start: c => c.error(new DOMException('stopped', 'AbortError')) });
  answering(new Response(body, { status: 200 }));
  assert.equal((await refusalOf(call('/console/data/score'))).name, 'AbortError');
});

test('a key travels in a header, and never in the address or as a cookie', async () => {
  const sent = answering(json({ data: {} }));
  await call('/v1/sandbox', { key: 'lab_off_secret' });
  assert.equal(sent.headers.get('Authorization'), 'Bearer lab_off_secret');
  assert.equal(sent.path, '/v1/sandbox');
  assert.equal(sent.credentials, 'omit');
});

test('a write has an Idempotency-Key of its own, a read has none', async () => {
  const written = new Set();
  for (let i = 0; i < 20; i++) {
    const sent = answering(json({ data: {} }));
    await call('/v1/webhooks', { method: 'POST', body: {} });
    written.add(sent.headers.get('Idempotency-Key'));
  }
  assert.equal(written.size, 20);
  const read = answering(json({ data: {} }));
  await call('/v1/webhooks');
  assert.equal(read.headers.has('Idempotency-Key'), false);
});

test('a write that is sent again may keep its Idempotency-Key', async () => {
  const key = randomKey();
  const sent = answering(json({ data: {} }));
  await call('/v1/sandboxes', { method: 'POST', headers: { 'Idempotency-Key': key } });
  assert.equal(sent.headers.get('Idempotency-Key'), key);
  assert.match(key, /^[0-9a-f]{32}$/);
});

test('those who wait for a write hear of each response to one with a key, and of no read', async t => {
  let heard = 0;
  const hear = () => heard++;
  afterWrite.add(hear);
  t.after(() => afterWrite.delete(hear));
  const send = async (status, options) => {
    answering(json({ data: {} }, status));
    await call('/v1/factory/print-runs', options).catch(() => {});
    return heard;
  };
  assert.equal(await send(201, { key: 'lab_fac_secret', method: 'POST' }), 1);
  assert.equal(await send(409, { key: 'lab_fac_secret', method: 'POST' }), 2);
  assert.equal(await send(200, { key: 'lab_fac_secret' }), 2);
  assert.equal(await send(201, { method: 'POST' }), 2);
});

test('a refusal has what the envelope says of it', async () => {
  const error = {
    code: 'sandbox_expired',
    message: 'The sandbox is over.',
    hint: 'Make another.',
    docs_url: 'https://platen.test/docs/errors/sandbox_expired',
    details: { at: 1 },
  };
  answering(json({ error, meta: { request_id: 'req_7' } }, 423));
  const refusal = await refusalOf(call('/v1/sandbox'));
  assert.ok(refusal instanceof Refusal);
  assert.equal(refusal.status, 423);
  assert.equal(refusal.code, 'sandbox_expired');
  assert.equal(refusal.message, 'The sandbox is over.');
  assert.equal(refusal.hint, 'Make another.');
  assert.deepEqual(refusal.details, { at: 1 });
  assert.equal(refusal.requestID, 'req_7');
});

test('the page of an error is read from this server, whatever name it gave itself', async () => {
  answering(json({ error: { docs_url: 'https://platen.test/docs/errors/rate_limited' } }, 429));
  assert.equal((await refusalOf(call('/v1/sandbox'))).docsURL, '/docs/errors/rate_limited');
  answering(json({ error: { docs_url: `${origin}/docs/errors/not_found` } }, 404));
  assert.equal((await refusalOf(call('/v1/sandbox'))).docsURL, '/docs/errors/not_found');
});

test('an answer that is no JSON is named by its status', async () => {
  answering(new Response('<h1>Bad gateway</h1>', { status: 502 }));
  const refusal = await refusalOf(call('/v1/sandbox'));
  assert.equal(refusal.code, 'http_502');
  assert.equal(refusal.retryAt, 0);
});

test('a server that cannot be reached is a refusal of status 0', async () => {
  answering(new TypeError('failed to fetch'));
  const refusal = await refusalOf(call('/v1/sandbox'));
  assert.equal(refusal.status, 0);
  assert.equal(refusal.code, 'unreachable');
  assert.notEqual(refusal.hint, '');
});

test('a call that was given up is no refusal', async () => {
  answering(new DOMException('stopped', 'AbortError'));
  assert.equal((await refusalOf(call('/v1/sandbox'))).name, 'AbortError');
});

test('the time to try again is moved to the clock of this browser', t => {
  t.mock.method(Date, 'now', () => Date.parse('2026-09-07T10:00:00Z'));
  // The server is five minutes ahead, and asks for ten seconds.
  const meta = { server_time: '2026-09-07T10:05:00Z' };
  const refusal = new Refusal(429, { retry_at: '2026-09-07T10:05:10Z' }, meta);
  assert.equal(refusal.retryAt, Date.parse('2026-09-07T10:00:10Z'));
});

test('Retry-After counts from now when no moment is given', async t => {
  t.mock.method(Date, 'now', () => Date.parse('2026-09-07T10:00:00Z'));
  answering(json({ error: { code: 'rate_limited' } }, 429, { 'Retry-After': '7' }));
  assert.equal((await refusalOf(call('/v1/sandbox'))).retryAt, Date.parse('2026-09-07T10:00:07Z'));
});

test('a sleep ends at once when it is given up, also before it began', async () => {
  const control = new AbortController();
  const asleep = refusalOf(sleep(60e3, control.signal));
  control.abort();
  assert.equal((await asleep).name, 'AbortError');
  assert.equal((await refusalOf(sleep(60e3, control.signal))).name, 'AbortError');
});

// messages parses a stream that comes in the given pieces.
async function messages(...pieces) {
  const reader = new ReadableStream({
    start(control) {
      for (const piece of pieces) control.enqueue(typeof piece === 'string' ? new TextEncoder().encode(piece) : piece);
      control.close();
    },
  }).getReader();
  const all = [];
  for await (const message of parse(reader)) all.push(message);
  return all;
}

test('a stream means the same wherever the network cuts it', async () => {
  const bytes = new TextEncoder().encode(
    ': hello\n\nevent: change\nid: 4.2.1\ndata: {"name":"Größe 2 × 3"}\n\nevent: gone\ndata: {}\n\n',
  );
  const whole = await messages(bytes);
  assert.deepEqual(whole, [
    { event: 'change', id: '4.2.1', data: { name: 'Größe 2 × 3' } },
    { event: 'gone', id: undefined, data: {} },
  ]);
  for (let cut = 1; cut < bytes.length; cut++) {
    assert.deepEqual(await messages(bytes.slice(0, cut), bytes.slice(cut)), whole, `cut after ${cut} bytes`);
  }
});

test('a message may have several lines of data', async () => {
  assert.deepEqual(await messages('data: {"a":\ndata: 1}\n\n'), [{ event: 'message', id: undefined, data: { a: 1 } }]);
});

test('lines may end as those of other servers do', async () => {
  const want = [{ event: 'change', id: '1', data: [] }];
  assert.deepEqual(await messages('event:change\r\nid:1\r\ndata:[]\r\n\r\n'), want);
  assert.deepEqual(await messages('event:change\rid:1\rdata:[]\r\r'), want);
});

test('comments, unknown fields and a message that breaks off are no messages', async () => {
  assert.deepEqual(await messages(': still here\n\nretry: 10\n\n: data: 1\n\nevent: change\ndata: {"cut'), []);
});
