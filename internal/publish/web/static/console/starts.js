// The command that begins a mission, for a terminal that has the keys in its environment. It names
// the records of this sandbox, so that it can be sent unchanged; where nothing is there yet that
// a mission needs, it moves the clock.
import * as store from '../lib/store.js';
import { bearer } from '../lib/format.js';
import { post as request } from './parts.js';

const base = () => `${location.origin}/v1`;
const json = body => `--json '${JSON.stringify(body)}'`;

const get = (path, system = 'office', more = '') => `curl -s ${more}"${base()}${path}" ${bearer(system)}`;
const post = (path, body, system, key) => request(path, { system, key, body });

const writers = ['twice', 'lost', 'never-came', 'at-work'];

const rowWith = (resource, status) => store.rows(resource).findLast(r => r.status === status);
const tick = body => post('/sandbox/tick', body, 'office');
const later = why => [`# ${why}`, tick({ minutes: 480 })];

// accepting accepts the oldest order that waits, or moves the clock until one does.
function accepting(key = '') {
  const order = rowWith('sales_order', 'received');
  if (!order) return later('No order waits for your answer. Move the clock by a day and try again.');
  return [post(`/office/sales-orders/${order.id}/accept`, null, 'office', key || `accept-${order.number}`)];
}

// write is a write that harms nothing, under a key of its own: of as many orders as wait, each
// mission that needs one takes another.
function write(mission) {
  const waiting = store.rows('sales_order').filter(o => o.status === 'received');
  const order = waiting.at(-1 - (writers.indexOf(mission) % Math.max(1, waiting.length)));
  if (order) return post(`/office/sales-orders/${order.id}/accept`, null, 'office', `${mission}-${order.number}`);
  const body = { lines: [{ sku: 'mat_ink', quantity: 1 }] };
  return post('/office/requisitions', body, 'office', `${mission}-1`);
}

function printing() {
  const work = rowWith('work_order', 'created');
  if (!work) return accepting();
  const press = store.rows('press').find(p => p.status === 'idle') ?? store.rows('press')[0];
  const body = { work_order_id: work.id, press_id: press?.id ?? 'prs_digital' };
  return [
    post('/factory/print-runs', body, 'factory', `print-${work.number}-${(work.print_run_ids?.length ?? 0) + 1}`),
  ];
}

function shipping() {
  const work = rowWith('work_order', 'ready');
  if (!work) return later('No work order is ready. Print one and wait for its run to end.');
  return [post('/factory/shipments', { work_order_id: work.id }, 'factory', `ship-${work.number}`)];
}

// parting ships half of the goods that are ready, or all that the customer takes as the whole.
function parting(final) {
  const work = rowWith('work_order', 'ready');
  const order = work && store.rows('sales_order').find(o => [o.id, o.number].includes(work.reference));
  const tolerance = store.rows('customer').find(c => c.id === order?.customer_id)?.delivery_tolerance_pct ?? 0;
  const few = work ? work.quantity - Math.floor((work.quantity * tolerance) / 100) - work.quantity_shipped : 0;
  const quantity = final ? few : Math.ceil(((work?.quantity ?? 0) - (work?.quantity_shipped ?? 0)) / 2);
  if (!order || quantity < 1) return later('No work order is ready. Print one and wait for its run to end.');
  const body = { work_order_id: work.id, quantity, ...(final ? { final } : {}) };
  return [post('/factory/shipments', body, 'factory', `part-${work.number}-${work.quantity_shipped}`)];
}

function restocking() {
  const materials = store.status.value?.inventory.materials ?? [];
  const low = materials.find(m => m.on_hand < m.reorder_point) ?? materials[0];
  const supplier_id = /ink|plate/.test(low?.sku ?? '') ? 'sup_chroma' : 'sup_mill';
  const body = { supplier_id, lines: [{ sku: low?.sku ?? 'mat_coated', quantity: low?.reorder_point ?? 100 }] };
  return [post('/office/purchase-orders', body, 'office', `restock-${low?.sku}`)];
}

function matching() {
  const bill = store
    .rows('supplier_invoice')
    .find(i => i.status === 'open' && i.match_status.endsWith('_mismatch') && i.matched_minor > 0);
  if (!bill) return [get('/office/supplier-invoices?status=open')];
  const body = { amount_minor: bill.matched_minor };
  return [post(`/office/supplier-invoices/${bill.id}/pay`, body, 'office', `pay-${bill.number}`)];
}

function paying() {
  const paid = new Set(store.rows('payroll_run').map(r => r.week_start));
  const sheet = store.rows('timesheet').findLast(t => !paid.has(t.week_start));
  if (!sheet) return later('No week has an unpaid timesheet.');
  return [post('/office/payroll-runs', { week_start: sheet.week_start }, 'office', `payroll-${sheet.week_start}`)];
}

function redelivering() {
  const delivery = store.rows('webhook_delivery').find(d => d.status === 'delivered' && d.event_type !== 'ping');
  if (!delivery) return [get('/webhooks')];
  return [post(`/webhooks/${delivery.webhook_id}/deliveries/${delivery.id}/redeliver`, null, 'office')];
}

// failing injects a fault, and sends the requests that meet it.
const failing = (kind, requests, count) => [
  post('/sandbox/faults', count ? { kind, count } : { kind }, 'office'),
  ...requests,
];

const starts = {
  bridge_it: () => accepting(),
  first_call: () => [get('/office/sales-orders')],
  both_keys: () => [get('/office/sales-orders'), get('/factory/work-orders', 'factory')],
  accept_order: () => accepting(),
  start_print_run: printing,
  ship_order: shipping,
  order_in_parts: () => parting(false),
  close_short: () => parting(true),
  order_to_cash: () => [tick({ minutes: 4800, until: { event_types: ['office.customer_invoice.paid'] } })],
  safe_retry: () => [write('twice'), write('twice')],
  page_through: () => [
    'next=',
    `while page=$(curl -s "${base()}/office/sales-orders?limit=2$next" ${bearer('office')}); do`,
    `  echo "$page" | jq -r '.data.items[].number'`,
    `  cursor=$(echo "$page" | jq -r '.data.next_cursor // empty'); [ "$cursor" ] || break; next="&cursor=$cursor"`,
    'done',
  ],
  not_modified: () => [
    `tag=$(${get('/office/sales-orders', 'office', '-o /dev/null -D - ')} | tr -d '\\r' | sed -n 's/^etag: //Ip')`,
    `${get('/office/sales-orders', 'office', '-i ')} -H "If-None-Match: $tag"`,
  ],
  take_csv: () => [get('/office/sales-orders.csv')],
  press_busy_wait: printing,
  back_off: () => [
    `for i in $(seq 40); do ${get('/office/cash', 'office', `-o /dev/null -w '%{http_code}\\n' `)}; done`,
  ],
  read_the_feed: () => [
    'after=0',
    `for i in 1 2 3; do page=$(curl -s "${base()}/events?limit=10&after_seq=$after" ${bearer('office')})`,
    `  echo "$page" | jq -r '.data.items[] | "\\(.seq) \\(.type)"'`,
    `  after=$(echo "$page" | jq '.data.items[-1].seq // '$after)`,
    'done',
  ],
  verified_webhook: () => [
    post('/webhooks', { url: 'http://127.0.0.1:3000/hooks', events: ['*'] }, 'office', 'webhook-1'),
    '# Start your server first. Or: platen listen --forward-to http://127.0.0.1:3000/hooks',
  ],
  webhook_and_feed: redelivering,
  restock: restocking,
  three_way_match: matching,
  payroll_on_time: paying,
  ride_out_disruption: () => [post('/sandbox/triggers', { type: 'trade_fair' }, 'office')],
  agent_call: () => [
    `curl -s ${location.origin}/mcp ${bearer('office')} -H 'Accept: application/json, text/event-stream' \\`,
    `  ${json({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_sandbox', arguments: {} } })}`,
  ],
  lost_response: () => failing('response_lost', [write('lost'), write('lost')]),
  lost_request: () => failing('request_lost', [write('never-came'), write('never-came')]),
  sit_out_storm: () => failing('storm', [get('/office/cash')]),
  half_a_company: () => failing('outage', [get('/office/cash'), get('/factory/stock', 'factory')]),
  start_over: () => failing('short_page', [get('/office/sales-orders?limit=2')], 10),
  still_at_work: () => failing('in_progress', [write('at-work'), write('at-work')]),
  late_request: () => failing('request_late', [write('late'), write('late')]),
};

// startOf is the command that begins a mission, '' for one that is new to this page.
export const startOf = mission => starts[mission.id]?.().join('\n') ?? '';
