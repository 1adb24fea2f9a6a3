import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { curlOf } from '../../internal/publish/web/static/lib/format.js';
import { snippet } from '../../internal/publish/web/static/lib/snippets.js';

// Commands are run as a person pastes them, and the server that they name says what it was sent.
let server;
let received = [];
before(async () => {
  server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', piece => {
      body += piece;
    });
    request.on('end', () => {
      received.push({ method: request.method, url: request.url, key: request.headers['idempotency-key'], body });
      response.end('{}');
    });
  });
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
});
after(() => server.close());

const origin = () => `http://127.0.0.1:${server.address().port}`;
const call = { method: 'POST', path: '/v1/sandbox/tick', system: 'office' };
const kept = body => ({ request_body: body, request_bytes: new Blob([body]).size, idempotency_key: 'tick-1' });
const copied = sent => curlOf(call, sent, origin());
async function pasted(command) {
  received = [];
  await promisify(execFile)('sh', ['-c', command], { env: { ...process.env, PLATEN_OFFICE_KEY: 'k' } });
  return received;
}

test('a request that is pasted is sent as it was, once', async () => {
  for (const body of [
    '@/etc/hostname',
    '<@/etc/hostname',
    `{"a": "it's $HOME \`id\`"}`,
    '{\n  "minutes": 1\n}',
    '-d',
  ]) {
    const [sent, ...more] = await pasted(copied({ ...kept(body), query: 'a=[1-3]&b={c,d}' }));
    assert.deepEqual(sent, { method: 'POST', url: '/v1/sandbox/tick?a=[1-3]&b={c,d}', key: 'tick-1', body });
    assert.deepEqual(more, []);
  }
});

test('characters that act on a terminal are left out, and the key with them', async () => {
  const command = copied(kept('{"a":"\u001b[201~\r\u009b\u202ex\u2066"}'));
  assert.doesNotMatch(command, /[^\P{Cc}\n]|[\u202e\u2066]/u);
  assert.deepEqual(await pasted(command), [{ method: 'POST', url: call.path, key: undefined, body: '{"a":"[201~x"}' }]);
});

test('a body of which only the beginning is kept makes no command', () => {
  assert.equal(copied({ ...kept('{"a":'), request_bytes: 5000 }), '');
});

test('a proposed request keeps such characters, escaped', async () => {
  const body = { reference: 'a\u202eb\u009b' };
  const request = { method: 'POST', path: '/factory/work-orders', system: 'factory', key: 'k', body };
  for (const language of ['curl', 'python', 'javascript', 'go'])
    assert.doesNotMatch(snippet(language, request, origin()), /[\u202e\u009b]/, language);
  const [sent] = await pasted(snippet('curl', request, origin()));
  assert.deepEqual(JSON.parse(sent.body), body);
});
