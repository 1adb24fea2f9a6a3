// Carries records between the two systems of a company with the manual bridge, once: what a bridge needs beside the
// client. The Go suite runs it in companies in which nearly everything goes wrong.
//
//     node bridge.mjs --once --state FILE
//
// Exit status 3 says that something did not get through, and that another run makes sense.
import process from 'node:process';
import { fileCheckpoint } from '../checkpoint.js';
import { ApiError, Client, isCode, NetworkError } from '../platen.js';

const LAST_MINUTE = '15:59';
const LATER = 3;
const state = process.argv[process.argv.indexOf('--state') + 1];
const client = new Client(process.env.PLATEN_URL, {
  office: process.env.PLATEN_OFFICE_KEY,
  factory: process.env.PLATEN_FACTORY_KEY,
});

/** A read does not show yet what the feed tells of: the feed is never behind, other reads may be for a while. */
class NotShown extends Error {}

async function shown(read) {
  try {
    return await read;
  } catch (error) {
    if (isCode(error, 'not_found')) throw new NotShown(error.message);
    throw error;
  }
}

// The events that mean work, and the work. The same event leads to the same request, with a key made of it.
const handOffs = {
  'office.sales_order.accepted': (order, options) => orderWork(order, order.due_date, options),
  async 'office.contract_lot.accepted'({ id }, options) {
    const lot = await shown(client.getContractLot(id));
    return orderWork(lot, lot.deliver_by, options);
  },
  'factory.shipment.created'({ id, reference }, options) {
    const sold = reference.startsWith('so_') ? { sales_order_id: reference } : { contract_lot_id: reference };
    return client.createOfficeShipment({ ...sold, factory_shipment_ref: id }, options);
  },
  'factory.requisition.created'({ id, sku, quantity, needed_by }, options) {
    return client.createRequisition({ lines: [{ sku, quantity }], reference: id, needed_by }, options);
  },
  async 'factory.goods_receipt.recorded'({ id, purchase_order_number }, options) {
    let purchase_order_id;
    for await (const order of client.purchaseOrders()) {
      if (order.number === purchase_order_number) purchase_order_id = order.id;
    }
    if (!purchase_order_id) throw new NotShown(`the purchase order ${purchase_order_number} is not shown yet`);
    const receipt = await shown(client.getFactoryGoodsReceipt(id));
    const lines = receipt.lines.map(({ sku, quantity_accepted, quantity_rejected }) => ({
      sku,
      quantity_accepted,
      quantity_rejected,
    }));
    return client.createOfficeGoodsReceipt({ purchase_order_id, reference: id, lines }, options);
  },
};

function orderWork({ id, sku, quantity }, due_date, options) {
  return client.createWorkOrder({ sku, quantity, reference: id, due_date }, options);
}

function passes(error) {
  if (error instanceof NetworkError || error instanceof NotShown) return true;
  if (!(error instanceof ApiError)) return false;
  return error.retryable || error.status === 429 || error.status >= 500 || error.code === 'too_many_open';
}

// What is refused for good is reported and passed: it would be refused for ever and hold up all the rest.
async function deal(what, act) {
  try {
    await act();
  } catch (error) {
    if (passes(error) || !(error instanceof ApiError) || [401, 403, 423].includes(error.status)) throw error;
    console.log(`${what}: ${error.message}`);
  }
}

async function carryWeeks() {
  const { items } = await client.listEvents({ limit: 1 });
  if (items.length === 0) return; // one system is away, and the feed shows nothing
  const { clock } = await client.getSandbox();
  const day = 86_400_000;
  const first = Date.parse(items[0].sim_date);
  const date = time => new Date(time).toISOString().slice(0, 10);
  for (let monday = first - ((new Date(first).getUTCDay() + 6) % 7) * day; ; monday += 7 * day) {
    const friday = date(monday + 4 * day);
    if (clock.sim_date < friday || (clock.sim_date === friday && clock.sim_time < LAST_MINUTE)) return;
    await deal(`the week of ${date(monday)}`, () => recordHours(date(monday)));
  }
}

async function recordHours(week_start) {
  const entries = new Map();
  for await (const { badge_no, absence, hours } of client.attendance({ week_start })) {
    const entry = entries.get(badge_no) ?? { badge_no, hours_worked: 0, hours_sick: 0, hours_leave: 0 };
    if (absence === 'none') entry.hours_worked += hours;
    else entry[`hours_${absence}`] += 8;
    entries.set(badge_no, entry);
  }
  if (entries.size === 0) return;
  const body = { week_start, entries: [...entries.values()] };
  await client.createTimesheet(body, { idempotencyKey: `bridge-week-${week_start}` });
}

try {
  const types = Object.keys(handOffs);
  for await (const event of client.events({ checkpoint: fileCheckpoint(state), types, follow: false })) {
    const options = { idempotencyKey: `bridge-${event.id}` };
    await deal(`event ${event.seq}, ${event.type}`, () => handOffs[event.type](event.data, options));
  }
  await carryWeeks();
} catch (error) {
  if (!passes(error)) throw error;
  console.error(error.message);
  process.exitCode = LATER;
}
