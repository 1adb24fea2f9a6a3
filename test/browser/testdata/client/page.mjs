// A page that uses the client. The functions return what the test looks at.
import { createSandbox, NetworkError, NotModified } from './platen/platen.js';

// failed is the error of a call, as far as it can leave the page.
async function failed(call) {
  const error = await call.then(
    () => new Error('it did not fail'),
    reason => reason,
  );
  const { name, message, code, status, retryable, retryAfterMs, attempts, hint, requestId, docsUrl } = error;
  const kinds = { network: error instanceof NetworkError, unchanged: error instanceof NotModified };
  return { name, message, code, status, retryable, retryAfterMs, attempts, hint, requestId, docsUrl, ...kinds };
}

async function all(rows) {
  const list = [];
  for await (const row of rows) list.push(row);
  return list;
}

// plays a company with the API at a base URL.
async function plays(base) {
  const waits = [];
  const sandbox = await createSandbox(
    base,
    { preset: 'starter', seed: 7, clock: 'manual' },
    { onWait: wait => waits.push(wait) },
  );
  const { client } = sandbox;
  const told = { difficulty: waits[0]?.difficulty };

  const received = await all(client.salesOrders({ status: 'received', limit: 2 }));
  told.received = received.map(order => order.number);
  const page = await client.listStockItems({ limit: 2 });
  told.unchanged = await failed(client.listStockItems({ limit: 2 }, { ifNoneMatch: page.etag }));

  const call = {};
  const order = received.find(row => row.number === 'SO-1001');
  const accepted = await client.acceptSalesOrder(order.id, { idempotencyKey: `accept-${order.id}`, call });
  told.accepted = { status: accepted.status, key: call.idempotencyKey, replayed: call.replayed };
  await client.acceptSalesOrder(order.id, { idempotencyKey: `accept-${order.id}`, call });
  told.again = { key: call.idempotencyKey, replayed: call.replayed };
  told.conflict = await failed(client.acceptSalesOrder(order.id));

  // A browser has no file for the checkpoint: the page keeps it.
  const checkpoint = {
    load: () => Number(localStorage.getItem('seq') ?? 0),
    save: seq => localStorage.setItem('seq', String(seq)),
  };
  told.events = (await all(client.events({ follow: false, checkpoint }))).map(event => event.type);
  told.kept = [checkpoint.load(), (await client.listEvents({ limit: 1 })).last_seq];
  const next = client.events({ checkpoint }).next();
  await client.createWorkOrder({ sku: 'prd_flyer', quantity: 100, reference: 'from a page' });
  told.next = (await next).value.type;

  await client.injectFault({ kind: 'storm' });
  told.storm = await failed(client.with(sandbox.keys, { maxRetries: 0 }).getCash());
  await client.injectFault({ kind: 'response_lost' });
  const work = await client.createWorkOrder({ sku: 'prd_flyer', quantity: 100, reference: 'once' }, { call });
  told.lost = { reference: work.reference, attempts: call.attempts, replayed: call.replayed };
  told.once = (await all(client.workOrders())).filter(row => row.reference === 'once').length;

  const giveUp = new AbortController();
  const last = client.events({ checkpoint, signal: giveUp.signal }).next();
  giveUp.abort(new Error('the page was closed'));
  told.aborted = await failed(last);
  return told;
}

// isTold calls an API that serves no page of this origin.
const isTold = base => failed(createSandbox(base, { preset: 'starter' }, { sleep: async () => {} }));

globalThis.page = { plays, isTold };
