// The fixture, with the program that PLATEN_BIN names.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import process from 'node:process';
import test, { after, before } from 'node:test';
import { findPlaten, platenFixture, startPlaten } from '../fixture.js';

const binary = await findPlaten();
const real = { skip: binary ? false : 'SKIPPED: PLATEN_BIN names no program', timeout: 120_000, concurrency: true };
const platen = platenFixture({
  before: binary ? before : () => {},
  after: binary ? after : () => {},
  input: { preset: 'starter', seed: 4 },
  prepare: async ({ client }) => void (await client.advanceTime()),
});

// One after the other would take much longer: each forks the same morning, and plays in a company of its own.
const forks = process.env.PLATEN_TEST_THOROUGH ? 50 : 10;
test(`${forks} tests with a fork each`, real, async t => {
  const began = performance.now();
  const runs = Array.from({ length: forks }, (_, n) =>
    t.test(`fork ${n}`, async () => {
      const { client } = await platen.fork();
      for await (const order of client.salesOrders({ status: 'received', limit: 5 })) {
        await client.declineSalesOrder(order.id, { reason: `test ${n}` });
        const again = await client.getSalesOrder(order.id);
        assert.equal(again.decline_reason, `test ${n}`);
        break;
      }
      await client.advanceTime({ minutes: 60 * (n % 8) || 1 });
    }),
  );
  await Promise.all(runs);
  t.diagnostic(`${forks} tests with forks took ${Math.round(performance.now() - began)} ms`);
});

test('a fork begins where the sandbox was prepared', real, async () => {
  const days = async ({ client }) => (await client.getSandbox()).clock.day_number;
  assert.equal(await days(await platen.fork()), 1);
  assert.equal(await days(await platen.fork({ checkpoint: 'start' })), 0);
  assert.equal(await days(await platen.fork({ sim_date: '2026-09-07' })), 0);
  assert.equal(await days(await platen.sandbox()), 0);
});

test('a program that is not there is told', real, async () => {
  await assert.rejects(startPlaten({ binary: '/nowhere/platen' }), /PLATEN_BIN/);
  await assert.rejects(startPlaten({ args: ['--no-such-flag'] }), /no-such-flag/);
});

// ended waits until a server no longer responds.
async function ended(url) {
  for (let tries = 0; tries < 500; tries++) {
    const response = await fetch(url).catch(() => null);
    if (!response) return true;
    await response.body.cancel();
    await new Promise(resolve => setTimeout(resolve, 20));
  }
  return false;
}

test('the server ends with tests that crash, and its database with it', real, async () => {
  const source = `
    import { startPlaten } from '${new URL('../fixture.js', import.meta.url)}';
    const { origin, output } = await startPlaten();
    console.log(JSON.stringify({ origin, output }));
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [chunk] = await Promise.all([new Promise(resolve => child.stdout.once('data', resolve))]);
  const { origin, output } = JSON.parse(chunk);
  const [, database] = /^ *data +(\S+)$/m.exec(output);
  assert.ok(existsSync(database));
  child.kill('SIGKILL');
  assert.ok(await ended(`${origin}/readyz`), 'it still responds');
  for (let tries = 0; existsSync(database) && tries < 500; tries++)
    await new Promise(resolve => setTimeout(resolve, 20));
  assert.ok(!existsSync(database));
});

test('a program that ends without stopping it leaves nothing', real, async () => {
  const source = `
    import { startPlaten } from '${new URL('../fixture.js', import.meta.url)}';
    const { origin } = await startPlaten();
    console.log(origin);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', chunk => {
    said += chunk;
  });
  assert.equal(await new Promise(resolve => child.once('exit', resolve)), 0);
  assert.ok(await ended(`${said.trim()}/readyz`), 'it still responds');
});

test('nothing is left of a server that ended by itself', {
  ...real,
  skip: real.skip || !existsSync('/bin/sh'),
}, async () => {
  const server = await startPlaten();
  const [, database] = /^ *data +(\S+)$/m.exec(server.output);
  const processes = () => {
    const listed = execFileSync('ps', ['-A', '-o', 'pid=', '-o', 'args='], { encoding: 'utf8' });
    return listed.split('\n').filter(line => line.includes(database));
  };
  for (const line of processes()) if (!line.includes('/bin/sh')) process.kill(Number.parseInt(line, 10), 'SIGKILL');
  for (let tries = 0; processes().length > 0 && tries < 500; tries++)
    await new Promise(resolve => setTimeout(resolve, 20));
  assert.deepEqual(processes(), []);
  await server.stop();
});
