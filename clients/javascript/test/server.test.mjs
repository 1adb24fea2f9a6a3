// What only a real server can show. PLATEN_URL is one without limits, PLATEN_BUSY_URL one that asks for proofs of work
// and has a single place. `go test ./test/docs -run Client` starts both.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import process from 'node:process';
import test from 'node:test';
import { Client, createSandbox, EVENT_TYPES, isCode, NotModified, verifyWebhook } from '../platen.js';

const url = process.env.PLATEN_URL;
const busy = process.env.PLATEN_BUSY_URL;
const real = { skip: url ? false : 'SKIPPED: there is no PLATEN_URL', timeout: 120_000 };

const enter = options => createSandbox(url, { preset: 'starter', seed: 1, clock: 'manual' }, options);

async function all(rows) {
  const list = [];
  for await (const row of rows) list.push(row);
  return list;
}

test('an order becomes cash, and the feed tells of it', real, async () => {
  const { client } = await enter();
  const before = await client.getCash();
  const received = await all(client.salesOrders({ status: 'received' }));
  const order = await client.acceptSalesOrder(received.find(row => row.number === 'SO-1001').id);
  assert.equal(order.status, 'in_production');
  const run = { press_id: 'prs_digital', work_order_id: order.bridged_work_order_id, overs_pct: 5 };
  const preview = await client.previewStartPrintRun(run);
  assert.equal((await client.listPrintRuns()).items.length, 0, JSON.stringify(preview));
  await client.startPrintRun(run);
  await assert.rejects(client.startPrintRun(run), error => error.status === 409);
  await client.advanceTime({ minutes: 120 });
  const parcel = await client.createFactoryShipment({ work_order_id: order.bridged_work_order_id });
  const billed = await client.getOfficeShipment(parcel.bridged_office_shipment_id);
  for (let day = 0; day < 4; day++) await client.advanceTime();
  const invoice = await client.getCustomerInvoice(billed.invoice.id);
  assert.equal(invoice.status, 'paid');
  assert.ok((await client.getCash()).cash_minor >= before.cash_minor + invoice.total_minor);
  const events = await all(client.events({ follow: false, limit: 7 }));
  assert.deepEqual(events, await all(client.eventsWhere()));
  assert.deepEqual(
    events.map(event => event.seq),
    events.map((_, i) => i + 1),
  );
  assert.ok(events.every(event => EVENT_TYPES.includes(event.type)));
  assert.ok(events.some(({ type, data }) => type === 'office.customer_invoice.paid' && data.id === invoice.id));
});

test('a follower waits for what happens', real, async () => {
  const { client } = await enter();
  await client.getSandbox(); // the first request completes a mission
  const after = (await client.listEvents({ limit: 1 })).last_seq;
  const next = client.events({ after, wait_s: 20 }).next();
  await client.acceptSalesOrder((await all(client.salesOrders({ status: 'received' })))[0].id);
  const { value } = await next;
  assert.equal(value.type, 'office.sales_order.accepted');
  assert.equal(value.seq, after + 1);
});

test('a test waits for the program that it tests', real, async () => {
  const { client } = await enter();
  const order = (await all(client.salesOrders({ status: 'received' })))[0];
  const call = {};
  await client.getSalesOrder(order.id, { call });
  const after = call.meta.request_id;
  const waited = client.waitForRequest({ operation: 'accept_sales_order', status: '2xx', after });
  await client.acceptSalesOrder(order.id); // the program
  assert.equal((await waited).path, `/v1/office/sales-orders/${order.id}/accept`);
  const never = client.waitForRequest({ operation: 'run_payroll' }, { timeoutMs: 1 });
  await assert.rejects(never, /no request came within 1 ms/);
});

test('a lost response is brought again', real, async () => {
  let lost = 0;
  const fetch = async (...sent) => {
    const response = await globalThis.fetch(...sent);
    if (sent[1].method !== 'POST' || response.headers.get('idempotency-replayed') || sent[0].endsWith('/sandboxes')) {
      return response;
    }
    lost++;
    throw new TypeError('the connection was cut');
  };
  const { client } = await enter({ fetch, sleep: async () => {} });
  for (const reference of ['a', 'b']) {
    const call = {};
    const work = await client.createWorkOrder({ sku: 'prd_flyer', quantity: 100, reference }, { call });
    assert.deepEqual([work.reference, call.replayed, call.attempts], [reference, true, 2]);
  }
  assert.deepEqual([(await client.listWorkOrders()).items.length, lost], [2, 2]);
});

test('lists, their versions and their errors', real, async () => {
  const sandbox = await enter();
  const { client } = sandbox;
  const page = await client.listStockItems({ limit: 2 });
  assert.ok(page.items.length === 2 && page.next_cursor && page.etag && page.meta.sim_date);
  const whole = await client.listStockItems({ limit: 100 });
  assert.deepEqual(await all(client.stockItems({ limit: 3 })), whole.items);
  await assert.rejects(client.listStockItems({ limit: 2 }, { ifNoneMatch: page.etag }), NotModified);
  await assert.rejects(client.listStockItems({ cursor: 'x' }), error => isCode(error, 'invalid_cursor'));
  await assert.rejects(client.getSalesOrder('so_none'), error => isCode(error, 'not_found') && error.docsUrl !== '');
  const stranger = new Client(url, { office: sandbox.factory_key });
  await assert.rejects(stranger.getCash(), error => isCode(error, 'wrong_system'));
});

test('every list can be read', real, async () => {
  const { client } = await enter();
  let rows = 0;
  const lists = Object.getOwnPropertyNames(Object.getPrototypeOf(Client.prototype)).filter(
    name => name.startsWith('list') && client[name].length === 2,
  );
  for (const name of lists) rows += (await client[name]()).items.length;
  assert.ok(lists.length > 25 && rows > 50, `${lists.length} lists, ${rows} rows`);
});

test('a fork lives a life of its own', real, async () => {
  const { client, sandbox_id } = await enter();
  const fork = await client.forkSandbox();
  assert.equal(fork.forked_from.sandbox_id, sandbox_id);
  await fork.client.advanceTime();
  const days = await Promise.all([client, fork.client].map(async one => (await one.getSandbox()).clock.day_number));
  assert.deepEqual(days, [0, 1]);
});

test('a delivery is verified', real, async t => {
  const { client } = await enter();
  const came = [];
  let secret = '';
  const receiver = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    try {
      came.push(await verifyWebhook({ secret, headers: request.headers, body: Buffer.concat(chunks) }));
      response.writeHead(204).end();
    } catch (error) {
      came.push(error);
      response.writeHead(401).end();
    }
  });
  await new Promise(resolve => receiver.listen(0, '127.0.0.1', resolve));
  t.after(() => receiver.close());
  const url = `http://127.0.0.1:${receiver.address().port}`;
  const subscription = await client.createWebhook({ url, events: ['office.sales_order.accepted'] });
  secret = subscription.secret;
  assert.equal((await client.testWebhook(subscription.id)).delivered, true);
  const order = await client.acceptSalesOrder((await all(client.salesOrders({ status: 'received' })))[0].id);
  while (!came.some(event => event.data?.id === order.id)) await new Promise(resolve => setTimeout(resolve, 20));
  assert.ok(came.every(event => !(event instanceof Error)));
});

const crowded = { ...real, skip: busy ? false : 'SKIPPED: there is no PLATEN_BUSY_URL' };

test('work is proved, and the queue is waited for', crowded, async () => {
  const waits = [];
  const first = await createSandbox(busy, {}, { onWait: wait => waits.push(wait) });
  assert.deepEqual(
    waits.map(wait => wait.difficulty),
    [10],
  );
  const sleep = async (ms, signal) => {
    await first.client.deleteSandbox().catch(() => {});
    await new Promise(resolve => setTimeout(resolve, Math.min(ms, 200)));
    signal?.throwIfAborted();
  };
  const second = await createSandbox(busy, {}, { sleep, onWait: wait => waits.push(wait) });
  assert.ok(
    waits.some(wait => wait.ticket?.position === 1),
    JSON.stringify(waits),
  );
  await second.client.deleteSandbox();
});
