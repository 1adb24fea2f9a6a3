import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { languages, snippet } from '../../internal/publish/web/static/lib/snippets.js';

// Each snippet is run as it is shown, and the server that it names says what it was sent.
const key = 'lab_fac_key';
const env = { ...process.env, PLATEN_FACTORY_KEY: key };
const programs = {
  curl: ['sh', 'snippet.sh'],
  python: ['python3', 'snippet.py'],
  javascript: ['node', 'snippet.mjs'],
  go: ['go', 'run', 'snippet.go'],
};
const found = program => {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`]);
    return true;
  } catch {
    return false;
  }
};

let folder;
let server;
let received;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'platen-snippets-'));
  server = createServer((request, response) => {
    let body = '';
    request.on('data', piece => {
      body += piece;
    });
    request.on('end', () => {
      received.push({ method: request.method, path: request.url, headers: request.headers, body: JSON.parse(body) });
      response.end('{"data":{"id":"wo_1"},"meta":{}}');
    });
  });
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
});
after(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

const run = ([program, ...args]) =>
  new Promise((resolve, reject) => {
    import('node:child_process').then(({ execFile }) =>
      execFile(program, args, { cwd: folder, env: { ...env, CGO_ENABLED: '0' } }, (error, stdout, stderr) =>
        error ? reject(new Error(`${error.message}\n${stderr}`)) : resolve(stdout),
      ),
    );
  });

const requests = [
  { sku: 'prd_card', quantity: 10, reference: 'O\'Hara `so` "1" \\ \u00e4', due_date: null },
  {
    week_start: '2026-09-07',
    entries: [
      { badge_no: '1001', hours_worked: 40 },
      { badge_no: '1002', hours_worked: 7 },
    ],
  },
];

for (const [language, name] of languages) {
  const [program] = programs[language];
  const skip = !found(program) && !process.env.PLATEN_TEST_ALL && `${program} is not installed`;
  test(`the request in ${name} is sent as the console would send it`, { skip }, async () => {
    for (const body of requests) {
      received = [];
      const request = { method: 'POST', path: '/factory/work-orders', system: 'factory', key: "carry-so_'1", body };
      const text = snippet(language, request, `http://127.0.0.1:${server.address().port}`);
      assert.ok(!text.includes(key), 'keys stay in the environment');
      writeFileSync(join(folder, programs[language].at(-1)), text);
      assert.match(await run(programs[language]), /wo_1/);
      assert.equal(received.length, 1);
      const [got] = received;
      assert.deepEqual([got.method, got.path, got.body], ['POST', '/v1/factory/work-orders', body]);
      assert.equal(got.headers.authorization, `Bearer ${key}`);
      assert.equal(got.headers['idempotency-key'], "carry-so_'1");
      assert.match(got.headers['content-type'], /^application\/json/);
    }
  });
}
