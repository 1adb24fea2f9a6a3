// A program with types that were generated: it plays one order to its payment.
import createClient from 'openapi-fetch';
import type { components, paths } from './api.js';

type Order = components['schemas']['OfficeSalesOrder'];

const baseUrl = process.env.PLATEN_URL ?? '';
const workingDay = 480;

// got is the data of a response, or an error with its code.
function got<Envelope extends { data: unknown }>(answer: {
  data?: Envelope;
  error?: { error: components['schemas']['Error'] };
}): Envelope['data'] {
  if (answer.data === undefined) throw new Error(answer.error?.error.code ?? 'no response');
  return answer.data.data;
}

const open = createClient<paths>({ baseUrl });
const sandbox = got(await open.POST('/sandboxes', { body: { preset: 'starter', seed: 7, clock: 'manual' } }));
if (!('office_key' in sandbox)) throw new Error('there is no place yet');
const holder = (key: string) => createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` } });
const office = holder(sandbox.office_key);
const factory = holder(sandbox.factory_key);

const tick = async () => got(await office.POST('/sandbox/tick', { body: { minutes: workingDay } }));

const orders = got(
  await office.GET('/office/sales-orders', { params: { query: { status: 'received', sku: 'prd_card' } } }),
);
const order: Order | undefined = orders.items.at(-1);
if (!order) throw new Error('there is no order of cards');
const path = { id: order.id };
const work = got(await office.POST('/office/sales-orders/{id}/accept', { params: { path } })).bridged_work_order_id;
if (!work) throw new Error('the bridge made no work order');
const run = (key: string) =>
  factory.POST('/factory/print-runs', {
    params: { header: { 'Idempotency-Key': `${key}-${work}` } },
    body: { press_id: 'prs_digital', work_order_id: work, overs_pct: 8 },
  });
got(await run('print'));
const again = await run('again');
if (again.error?.error.code !== 'press_busy' && again.error?.error.code !== 'invalid_state')
  throw new Error(`a busy press answers ${again.response.status}`);
await tick();
got(
  await factory.POST('/factory/shipments', {
    params: { header: { 'Idempotency-Key': `ship-${work}` } },
    body: { work_order_id: work },
  }),
);
const feed = got(await office.GET('/events', { params: { query: { after_seq: 0, limit: 100 } } }));
const received = feed.items.flatMap(e => (e.type === 'office.sales_order.received' ? [e.data.number] : []));
if (!received.includes(order.number)) throw new Error('the feed does not have the order');
for (let day = 0; day < 40; day++) {
  const now = got(await office.GET('/office/sales-orders/{id}', { params: { path } }));
  if (now.status === 'paid') {
    console.log(now.number, 'is paid');
    process.exit(0);
  }
  await tick();
}
throw new Error(`${order.number} is not paid`);
