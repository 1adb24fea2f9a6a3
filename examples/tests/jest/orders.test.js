// Fifty tests, each in a company of its own: a fork of one that was prepared once.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { platenFixture } from 'platen/fixture';

const platen = platenFixture({
  before: beforeAll,
  after: afterAll,
  input: { preset: 'starter', seed: 7 },
  prepare: sandbox => sandbox.client.advanceTime(),
});

const reasons = Array.from({ length: 50 }, (_, n) => `no paper on day ${n}`);

test.concurrent.each(reasons)('an order is declined: %s', async reason => {
  const { client } = await platen.fork();
  const { items } = await client.listSalesOrders({ status: 'received', limit: 1 });
  await client.declineSalesOrder(items[0].id, { reason });
  expect((await client.getSalesOrder(items[0].id)).decline_reason).toBe(reason);
});
