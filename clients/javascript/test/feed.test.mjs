// The feed with a checkpoint, signals and what is reported, with a fetch that is a script.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import test from 'node:test';
import { inspect } from 'node:util';
import { fileCheckpoint } from '../checkpoint.js';
import { Client, createSandbox, isCode, PlatenError } from '../platen.js';

const envelope = (data, status = 200) => new Response(JSON.stringify({ meta: {}, data }), { status });
const refused = (status, code, retryable) =>
  new Response(JSON.stringify({ meta: {}, error: { code, retryable, message: 'm' } }), { status });
const page = (seqs, last_seq, next_cursor = null) =>
  envelope({ items: seqs.map(seq => ({ id: `evt_${seq}`, seq, data: {} })), last_seq, next_cursor });

// following is a client whose responses are prepared. Further requests wait until their signal aborts.
function following(responses, options = {}) {
  const asked = [];
  const fetch = (url, { signal }) => {
    asked.push(new URL(url));
    const next = responses.shift();
    if (next instanceof Error) return Promise.reject(next);
    if (next) return Promise.resolve(next);
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  };
  const slept = [];
  const sleep = async ms => slept.push(ms);
  return { client: new Client('http://x.test/v1', { office: 'k' }, { fetch, sleep, ...options }), asked, slept };
}

function memory(seq = 0) {
  const saved = [];
  return { saved, load: () => saved.at(-1) ?? seq, save: number => void saved.push(number) };
}

test('an event is passed when the next one is asked for', async () => {
  const { client, asked } = following([page([8, 9], 12, 'z'), page([12], 13)]);
  const checkpoint = memory(7);
  const ending = new AbortController();
  const seen = [];
  await assert.rejects(async () => {
    for await (const event of client.events({ checkpoint, types: ['hr.employee.sick'], signal: ending.signal })) {
      assert.equal(checkpoint.saved.includes(event.seq), false);
      seen.push(event.seq);
      if (event.seq === 12) setTimeout(() => ending.abort(new Error('enough')), 20);
    }
  }, /enough/);
  assert.deepEqual(seen, [8, 9, 12]);
  assert.deepEqual(checkpoint.saved, [8, 9, 12, 13]);
  assert.deepEqual(
    asked.map(url => [url.pathname, url.searchParams.get('after_seq'), url.searchParams.get('types')]),
    [7, 9, 13].map(seq => ['/v1/events/poll', String(seq), 'hr.employee.sick']),
  );
});

test('an event whose handling was cut short comes again', async () => {
  const checkpoint = memory();
  const first = following([page([1, 2, 3], 3)]).client;
  await assert.rejects(async () => {
    for await (const event of first.events({ checkpoint, follow: false })) if (event.seq === 2) throw new Error('no');
  }, /no/);
  assert.deepEqual(checkpoint.saved, [1]);
  const { client, asked } = following([page([2, 3], 3)]);
  for await (const _ of client.events({ checkpoint, follow: false }));
  assert.deepEqual(checkpoint.saved, [1, 2, 3]);
  assert.equal(asked[0].searchParams.get('after_seq'), '1');
});

test('a follower outlives an outage, and ends with an error that does not pass', async () => {
  const outage = Array.from({ length: 9 }, (_, i) =>
    i % 2 ? refused(503, 'unavailable', true) : new TypeError('cut'),
  );
  const { client, slept } = following([page([1], 1), ...outage, page([2], 2), refused(401, 'unauthorized', false)]);
  const seen = [];
  await assert.rejects(
    async () => {
      for await (const event of client.events()) seen.push(event.seq);
    },
    error => isCode(error, 'unauthorized'),
  );
  assert.deepEqual(seen, [1, 2]);
  assert.equal(slept.length, 9);
});

test('a reader that does not follow fails with the outage', async () => {
  const { client } = following([refused(503, 'unavailable', true)], { maxRetries: 0 });
  await assert.rejects(client.events({ follow: false }).next(), error => isCode(error, 'unavailable'));
});

test('a signal ends a request and a wait at once', async () => {
  const { client } = following([]);
  await assert.rejects(client.getCash({ signal: AbortSignal.timeout(10) }), { name: 'TimeoutError' });
  const busy = new Response('{}', { status: 503, headers: { 'Retry-After': '30' } });
  const waiting = new Client('http://x.test/v1', { office: 'k' }, { fetch: async () => busy });
  await assert.rejects(waiting.getCash({ signal: AbortSignal.timeout(20) }), { name: 'TimeoutError' });
  const ended = following([envelope({})]);
  await assert.rejects(ended.client.getCash({ signal: AbortSignal.abort(new Error('before')) }), /before/);
  assert.equal(ended.asked.length, 0);
});

test('an attempt that takes too long is tried again', async () => {
  const { client, asked } = following([], { attemptTimeoutMs: 10, maxRetries: 2 });
  await assert.rejects(client.getCash(), /took too long/);
  assert.equal(asked.length, 3);
});

test('a checkpoint in a file', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'platen-'));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, 'seq');
  const checkpoint = fileCheckpoint(path);
  assert.equal(await checkpoint.load(), 0);
  await checkpoint.save(12);
  assert.equal(await readFile(path, 'utf8'), '12\n');
  assert.equal(await fileCheckpoint(path).load(), 12);
  await writeFile(path, 'twelve');
  await assert.rejects(async () => checkpoint.load(), /no checkpoint/);
});

test('each attempt and each wait is reported', async () => {
  const exchanges = [];
  const waits = [];
  const { client } = following([refused(503, 'unavailable', true), envelope({ id: 'so/1' })], {
    onExchange: exchange => exchanges.push(exchange),
    onWait: wait => waits.push(wait),
  });
  await client.declineSalesOrder('so/1', { reason: 'too far' });
  assert.deepEqual(
    exchanges.map(x => [x.operation, x.attempt, x.method, x.path, x.system, x.status, x.request]),
    [1, 2].map((n, i) => [
      'decline_sales_order',
      n,
      'POST',
      '/office/sales-orders/so%2F1/decline',
      'office',
      [503, 200][i],
      '{"reason":"too far"}',
    ]),
  );
  assert.equal(waits.length, 1);
  assert.equal(waits[0].error.code, 'unavailable');
});

test('a report that fails leaves the result', async t => {
  const log = t.mock.method(console, 'error', () => {});
  const told = [];
  const { client } = following([envelope({ cash_minor: 1 }), refused(401, 'unauthorized', false)], {
    onExchange: exchange => {
      told.push(exchange.status);
      throw new Error('report');
    },
  });
  assert.deepEqual(await client.getCash(), { cash_minor: 1 });
  await assert.rejects(client.getCash(), error => isCode(error, 'unauthorized'));
  assert.deepEqual(told, [200, 401]);
  assert.equal(log.mock.callCount(), 2);
});

test('many calls with one signal print no warning, and all end with it', async t => {
  const warnings = [];
  const hear = warning => warnings.push(warning);
  process.on('warning', hear);
  t.after(() => process.off('warning', hear));
  const abort = new AbortController();
  const { client, asked } = following(
    Array.from({ length: 25 }, () => refused(503, 'unavailable', true)),
    {
      sleep: undefined,
    },
  );
  const calls = Array.from({ length: 50 }, () => client.getCash({ signal: abort.signal }));
  const ended = Promise.allSettled(calls);
  while (asked.length < 50) await new Promise(resolve => setImmediate(resolve));
  abort.abort(new Error('enough'));
  assert.deepEqual(new Set((await ended).map(({ reason }) => reason.message)), new Set(['enough']));
  await new Promise(resolve => setImmediate(resolve));
  assert.deepEqual(warnings, []);
});

test('an error of the network names the server', async () => {
  const free = createServer().listen(0, '127.0.0.1');
  await once(free, 'listening');
  const { port } = free.address();
  await new Promise(resolve => free.close(resolve));
  for (const host of ['127.0.0.1', 'localhost']) {
    const client = new Client(`http://${host}:${port}/v1`, { office: 'k' }, { maxRetries: 0 });
    const named = new RegExp(`http://${host}:${port}.*Is the server running\\?$`);
    await assert.rejects(client.getCash(), { name: 'NetworkError', message: named });
  }
});

test('a checkpoint that cannot be written leaves no file', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'platen-'));
  t.after(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, 'seq'));
  await assert.rejects(fileCheckpoint(join(folder, 'seq')).save(1));
  assert.deepEqual(await readdir(folder), ['seq']);
});

test('the keys of a sandbox are not printed', async () => {
  const fetch = async () => envelope({ sandbox_id: 'sbx_1', public_name: 'Heron', office_key: 'secret' }, 201);
  const sandbox = await createSandbox('http://x.test/v1', {}, { fetch });
  assert.doesNotMatch(`${sandbox} ${inspect(sandbox)} ${inspect(sandbox.client)}`, /secret/);
  assert.equal(sandbox.keys.office, 'secret');
});

test('a request of the program’s own gets its key by its path', async () => {
  const sent = [];
  const fetch = async (url, { headers, method }) => {
    sent.push([method, url, headers.get('authorization'), headers.has('idempotency-key'), headers.get('content-type')]);
    return new Response('a,b', { status: 503 });
  };
  const client = new Client('http://x.test/v1/', { office: 'o', factory: 'f' }, { fetch });
  const { status, body } = await client.do('GET', '/factory/presses.csv?limit=2');
  assert.deepEqual([status, body], [503, 'a,b']);
  await client.do('POST', 'sandbox/tick', { body: '{}' });
  await client.do('GET', '/office/cash', { headers: { 'X-Api-Key': 'other' } });
  assert.deepEqual(sent, [
    ['GET', 'http://x.test/v1/factory/presses.csv?limit=2', 'Bearer f', false, null],
    ['POST', 'http://x.test/v1/sandbox/tick', 'Bearer o', true, 'application/json'],
    ['GET', 'http://x.test/v1/office/cash', null, false, null],
  ]);
});

test('the origin of a server is as good as its base URL', async () => {
  const asked = [];
  const fetch = async url => {
    asked.push(new URL(url).pathname);
    return envelope({});
  };
  for (const end of ['', '/', '/v1', '/v1/', '/platen/v1'])
    await new Client(`http://x.test${end}`, { office: 'k' }, { fetch }).getCash();
  assert.deepEqual(asked, [...Array(4).fill('/v1/office/cash'), '/platen/v1/office/cash']);
});

test('mistakes of the program are told', () => {
  assert.throws(() => new Client('localhost:8080'), /base URL/);
  assert.throws(() => new Client('http://x.test/v1', {}, { retries: 3 }), /no option retries/);
  for (const id of ['..', '.', undefined, 7]) {
    assert.rejects(following([]).client.getWorkOrder(id), PlatenError);
  }
});
