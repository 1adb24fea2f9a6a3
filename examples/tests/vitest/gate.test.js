// A test of an integration that ends with a gate: everything that was due was carried exactly once, over faults.
import { keyFor } from 'platen';
import { platenFixture, requireExactlyOnce } from 'platen/fixture';
import { afterAll, beforeAll, expect, test } from 'vitest';

// Attempts are those of the program: the client repeats none by itself.
const platen = platenFixture({
  before: beforeAll,
  after: afterAll,
  input: { preset: 'manual', seed: 7 },
  client: { maxRetries: 0 },
});

// carryOrders is the integration that is tested: it takes each order to the Factory.
async function carryOrders(client, keyOf) {
  for await (const { id, sku, quantity } of client.salesOrders({ status: 'received' })) {
    await client.acceptSalesOrder(id, { idempotencyKey: keyFor('accept', id) });
    const order = { sku, quantity, reference: id };
    for (let attempt = 1; attempt <= 5; attempt++) {
      try {
        await client.createWorkOrder(order, { idempotencyKey: keyOf(id, attempt) });
        break;
      } catch (error) {
        if (error.status < 500) break; // a conflict: the Factory has the order
      }
    }
  }
}

// lossy is a company in which a response and a request of the next work orders are lost.
async function lossy() {
  const sandbox = await platen.fork();
  for (const kind of ['response_lost', 'request_lost']) {
    await sandbox.client.injectFault({ kind, operations: ['create_work_order'] });
  }
  return sandbox;
}

test('each order is carried exactly once', async () => {
  const sandbox = await lossy();
  await carryOrders(sandbox.client, id => keyFor('carry', id));
  await requireExactlyOnce(sandbox, { minDue: 3, minHit: 1 });
});

// Why the gate is there: this program works without faults, and with these only by luck.
test('a key for each attempt does not pass', async () => {
  const sandbox = await lossy();
  await carryOrders(sandbox.client, (id, attempt) => keyFor('carry', id, attempt));
  await expect(requireExactlyOnce(sandbox)).rejects.toThrow('client is 0.000, less than 1\nsaved: create_work_order');
});
