// The gate tells programs apart, each of which carries one order over a lost response, or does not.
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { findPlaten, platenFixture, requireExactlyOnce } from '../fixture.js';

const binary = await findPlaten();
const real = { skip: binary ? false : 'SKIPPED: PLATEN_BIN names no program', timeout: 120_000, concurrency: true };
const platen = platenFixture({
  before: binary ? before : () => {},
  after: binary ? after : () => {},
  input: { preset: 'manual' },
  client: { maxRetries: 0 },
});

// carry takes an order to the Factory, once for each key, whatever comes back.
async function carry({ client }, fault, keys) {
  const { id, sku, quantity } = await client.acceptSalesOrder('SO-1001');
  if (fault) await client.injectFault({ kind: fault });
  for (const idempotencyKey of keys) {
    await client.createWorkOrder({ sku, quantity, reference: id }, { idempotencyKey }).catch(() => {});
  }
}

const programs = {
  carried: ['', ['order-1'], null],
  'not carried': ['', [], /^platen: exactly_once is 0\.000, less than 1\nmissed: .*SO-1001/],
  'the same key': ['response_lost', ['order-1', 'order-1'], null],
  'a new key each time': ['response_lost', ['order-1', 'order-2'], /^platen: client is 0\.000, less than 1\nsaved: /],
  'lost, and let be': [
    'request_lost',
    ['order-1'],
    /^platen: exactly_once is 0\.000, less than 1\nclient is 0.000, less than 1\n/,
  ],
  'no fault was met': [
    'webhook_twice',
    ['order-1'],
    /^platen: client is null: no injected fault has hit a write of your program$/,
  ],
};
for (const [name, [fault, keys, fails]] of Object.entries(programs)) {
  test(`the gate judges: ${name}`, real, async () => {
    const sandbox = await platen.fork();
    await carry(sandbox, fault, keys);
    const day = async () => (await sandbox.client.getSandbox()).clock.sim_time;
    const began = await day();
    if (fails === null) await requireExactlyOnce(sandbox);
    else await assert.rejects(requireExactlyOnce(sandbox), { name: 'AssertionError', message: fails });
    assert.equal(await day(), began);
  });
}

test('a gate can ask for less, and for more', real, async () => {
  const sandbox = await platen.sandbox({ preset: 'manual', clock: 'realtime' });
  await carry(sandbox, '', ['order-1', 'order-2']);
  await requireExactlyOnce(sandbox, { carried: 0, minHit: 9 }); // no faults were asked for
  await assert.rejects(requireExactlyOnce(sandbox, { minDue: 7 }), /1 due, fewer than 7/);
  await requireExactlyOnce(sandbox, { carried: 0, manners: 0.5 });
  await assert.rejects(requireExactlyOnce(sandbox, { carried: 0, manners: 0.9 }), /manners is 0.666, less than 0.9/);
  await sandbox.client.injectFault({ kind: 'webhook_twice' });
  await requireExactlyOnce(sandbox, { carried: 0, client: 0 });
  await assert.rejects(requireExactlyOnce(sandbox, { minHit: 3 }), /0 writes hit by a fault, fewer than 3/);
  await assert.rejects(requireExactlyOnce(sandbox, { min_due: 7 }), TypeError);
  await assert.rejects(requireExactlyOnce(sandbox, { carried: Number.NaN }), TypeError);
});

test('a gate leaves no fork behind, and none passes where nothing was due', real, async () => {
  const { client } = await platen.sandbox({ preset: 'starter' });
  const made = [];
  const watched = client.with({ office: 'no key of a sandbox' });
  await assert.rejects(requireExactlyOnce({ client: watched }), { code: 'unauthorized' });
  const spy = Object.create(client, {
    getSandbox: { value: () => client.getSandbox() },
    listFaults: { value: params => client.listFaults(params) },
    forkSandbox: { value: async () => made[made.push(await client.forkSandbox()) - 1] },
  });
  await assert.rejects(
    requireExactlyOnce({ client: spy }),
    /exactly_once is null: nothing was due\n0 due, fewer than 1/,
  );
  assert.equal(made.length, 1);
  await assert.rejects(made[0].client.getSandbox(), { name: 'ApiError' });
});
