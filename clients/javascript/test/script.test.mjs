// Plays clients/script.json, which the clients of all languages have in common.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import test from 'node:test';
import { ApiError, Client, NetworkError, NoKeyError, NotModified } from '../platen.js';

const script = JSON.parse(readFileSync(new URL('../../script.json', import.meta.url), 'utf8'));

const lower = name => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());

// envelope is the body of a prepared response.
function envelope({ data, error, text, blanks, server_time = '2026-10-01T09:00:00.000000Z' }) {
  if (text !== undefined) return text;
  if (blanks !== undefined) return ' '.repeat(blanks);
  const meta = { simulation: true, request_id: 'req_1', api_version: '2026-09', ...(server_time && { server_time }) };
  if (error === undefined) return JSON.stringify({ meta, data });
  return JSON.stringify({ meta, error: { message: 'm', hint: 'h', docs_url: 'd', ...error } });
}

// fake is a server that gives prepared responses, the last one again and again.
async function fake(responses) {
  const requests = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const url = new URL(request.url, 'http://x');
    const now = responses[Math.min(requests.length, responses.length - 1)];
    requests.push({
      method: request.method,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: request.headers,
      text,
    });
    if (now.drop) return request.socket.destroy();
    response.sendDate = false;
    const body = envelope(now);
    const headers = { ...now.headers, ...(now.cut && { 'content-length': 1000 }) };
    response.writeHead(now.status ?? 200, headers);
    if (!now.cut) return response.end(body);
    response.write(body, () => request.socket.destroy());
  });
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    requests,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

// made calls a client as the script says.
async function made(client, { operation, ids = [], in: input, query, all, key, if_match, if_none_match }, call, items) {
  const options = { call, idempotencyKey: key, ifMatch: if_match, ifNoneMatch: if_none_match };
  if (all) {
    const name = operation === 'list_events' ? 'eventsWhere' : lower(operation.replace(/^list_/, ''));
    for await (const item of client[name](...ids, query, options)) items.push(item.id);
    return undefined;
  }
  const parameters = operation.startsWith('list_') || operation === 'poll_events' ? [query] : [];
  if (input !== undefined) parameters.push(input);
  return client[lower(operation)](...ids, ...parameters, options);
}

// holds checks that a value has the members that are wanted.
function holds(got, want, at) {
  for (const [name, value] of Object.entries(want)) assert.deepEqual(got?.[name], value, `${at}.${name}`);
}

for (const c of script.cases) {
  test(c.name, async t => {
    const server = await fake(c.responses);
    t.after(server.close);
    let now = Date.parse('2026-10-01T09:00:00Z');
    const slept = [];
    const { max_elapsed_s, ...options } = c.options ?? {};
    const client = new Client(server.url, c.keys ?? { office: 'lab_off_test', factory: 'lab_fac_test' }, {
      ...Object.fromEntries(Object.entries(options).map(([name, value]) => [lower(name), value])),
      maxElapsedMs: max_elapsed_s && max_elapsed_s * 1000,
      now: () => now,
      sleep: async ms => {
        now += ms;
        slept.push(ms / 1000);
      },
    });
    const { want } = c;
    const items = [];
    const call = {};
    let sandbox;
    let result;
    let failed;
    for (const [i, one] of c.calls.entries()) {
      const by = one.on === undefined ? client : one.on === 'grader' ? sandbox.grader : sandbox.client;
      try {
        result = await made(by, one, call, items);
        if (one.operation === 'create_sandbox') sandbox = result;
      } catch (error) {
        failed = error;
        assert.equal(i, c.calls.length - 1, `call ${i} failed: ${error.stack}`);
      }
    }
    if (want.error === undefined) assert.ifError(failed);
    else {
      const { kind, says, ...fields } = want.error;
      const kinds = { network: NetworkError, no_key: NoKeyError, not_modified: NotModified, other: Error };
      assert.ok(failed instanceof (kinds[kind] ?? ApiError), `failed with ${failed?.stack}`);
      if (kind === 'other') assert.ok(!(failed instanceof ApiError) && !(failed instanceof NetworkError));
      if (says) assert.match(failed.message, new RegExp(says));
      for (const [name, value] of Object.entries(fields)) assert.deepEqual(failed[lower(name)], value, name);
    }
    if (want.slept) assert.deepEqual(slept, want.slept);
    if (want.drawn) {
      assert.equal(slept.length, want.drawn.length);
      for (const [i, limit] of want.drawn.entries()) assert.ok(slept[i] >= 0 && slept[i] <= limit, `${slept[i]}`);
    }
    if (want.items) assert.deepEqual(items, want.items);
    if (want.data) holds(JSON.parse(JSON.stringify(result)), want.data, 'data');
    if (want.page) holds(result, want.page, 'page');
    if (want.call) for (const [name, value] of Object.entries(want.call)) assert.equal(call[lower(name)], value, name);
    const { requests } = server;
    if (typeof want.requests === 'number') assert.equal(requests.length, want.requests);
    if (Array.isArray(want.requests)) {
      assert.equal(requests.length, want.requests.length);
      for (const [i, { headers = {}, body, ...rest }] of want.requests.entries()) {
        holds(requests[i], rest, `request ${i}`);
        for (const [name, value] of Object.entries(headers))
          assert.equal(requests[i].headers[name] ?? null, value, name);
        if (body) assert.deepEqual(JSON.parse(requests[i].text), body);
      }
    }
    if (want.same_keys) {
      const sent = requests.map(request => request.headers['idempotency-key']);
      assert.equal(sent.length, want.same_keys.length);
      for (const [i, like] of want.same_keys.entries()) {
        assert.equal(sent[i] === undefined, like === null, `request ${i} has the key ${sent[i]}`);
        if (like === null) continue;
        assert.ok(sent[i].length >= 20 && sent[i].length <= 64);
        assert.deepEqual(
          sent.map((key, j) => key === sent[i] && j),
          want.same_keys.map((other, j) => other === like && j),
        );
      }
    }
    if (want.proof) {
      const { request, challenge, difficulty } = want.proof;
      const proof = requests[request].headers['sim-pow'];
      assert.ok(proof.startsWith(`${challenge}.`), proof);
      const hash = createHash('sha256').update(challenge + proof.slice(challenge.length + 1));
      assert.ok(Math.clz32(hash.digest().readUInt32BE()) >= difficulty, proof);
    }
  });
}
