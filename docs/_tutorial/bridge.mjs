// Carries records between Head Office and the Factory.
import { open, readFile, rename } from 'node:fs/promises'; // step 3
// until 4: import { send } from './api.mjs';
import { Rejected, send } from './api.mjs'; // step 5

// step 1
// until 2: async function carryOrder(order) {
// until 2:   const work = await send('POST', '/factory/work-orders', `carry-${order.id}`, {
// until 2:     sku: order.sku,
// until 2:     quantity: order.quantity,
// until 2:     due_date: order.due_date,
// until 2:     reference: order.id,
// until 2:   });
// until 2:   console.log(order.number, 'is work order', work.number);
// until 2: }
// step 3
const stateFile = 'bridge-state.json';

const carryOrder = order => carry(order, order.due_date);

async function carryLot(accepted) {
  // The event does not say what the lot is for. The record does.
  const lot = await send('GET', `/office/contract-lots/${accepted.id}`);
  await carry(lot, lot.deliver_by);
}

async function carry(sold, dueDate) {
  const work = await send('POST', '/factory/work-orders', `carry-${sold.id}`, {
    sku: sold.sku,
    quantity: sold.quantity,
    due_date: dueDate,
    reference: sold.id,
  });
  console.log(sold.number, 'is work order', work.number);
}

// step 4
async function bill(parcel) {
  // The reference on the parcel is the one that we gave the work order.
  const field = parcel.reference.startsWith('lot_') ? 'contract_lot_id' : 'sales_order_id';
  const shipment = await send('POST', '/office/shipments', `bill-${parcel.id}`, {
    [field]: parcel.reference,
    factory_shipment_ref: parcel.id,
  });
  console.log(parcel.number, 'is billed as', shipment.invoice.number);
}

// step 5
async function fileRequisition(wanted) {
  const requisition = await send('POST', '/office/requisitions', `file-${wanted.id}`, {
    lines: [{ sku: wanted.sku, quantity: wanted.quantity }],
    needed_by: wanted.needed_by,
    reference: wanted.id,
  });
  console.log(wanted.number, 'is requisition', requisition.number);
}

// step 6
async function recordReceipt(counted) {
  // The event has sums, the record has each material.
  const receipt = await send('GET', `/factory/goods-receipts/${counted.id}`);
  const recorded = await send('POST', '/office/goods-receipts', `receipt-${receipt.id}`, {
    purchase_order_id: await purchaseOrderId(counted.purchase_order_number),
    reference: receipt.id,
    lines: receipt.lines.map(({ sku, quantity_accepted, quantity_rejected }) =>
      ({ sku, quantity_accepted, quantity_rejected })),
  });
  console.log('the truck for', counted.purchase_order_number, 'is', recorded.status);
}

async function purchaseOrderId(number) {
  // A delivery note has the number, Head Office needs the id.
  for await (const order of rows('/office/purchase-orders?limit=100')) {
    if (order.number === number) return order.id;
  }
  throw new Error(`there is no purchase order ${number}`);
}

// rows reads a whole list, page by page.
async function* rows(path) {
  let page = await send('GET', path);
  yield* page.items;
  while (page.next_cursor !== null) {
    page = await send('GET', `${path}&cursor=${page.next_cursor}`);
    yield* page.items;
  }
}

// step 7
// carryWeeks carries the hours of a week when it is over. No event asks for that.
async function carryWeeks(state) {
  if (!state.week) {
    const first = (await send('GET', '/events?limit=1')).items[0];
    state.week = mondayOf(first.sim_date);
  }
  const today = (await send('GET', '/sandbox')).clock.sim_date;
  while (state.week < mondayOf(today)) {
    await recordHours(state.week);
    state.week = daysAfter(state.week, 7);
    await save(state);
  }
}

async function recordHours(monday) {
  const entries = new Map();
  for await (const day of rows(`/factory/attendance?limit=100&week_start=${monday}`)) {
    const badge = day.badge_no; // both systems know people by their badge
    const entry = entries.get(badge) ?? { badge_no: badge, hours_worked: 0, hours_sick: 0, hours_leave: 0 };
    if (day.absence === 'none') entry.hours_worked += day.hours;
    else entry[`hours_${day.absence}`] += 8;
    entries.set(badge, entry);
  }
  try {
    await send('POST', '/office/timesheets', `week-${monday}`, {
      week_start: monday, entries: [...entries.values()],
    });
  } catch (rejected) {
    if (rejected.code !== 'timesheet_exists') throw rejected;
  }
  console.log('the week of', monday, 'is a timesheet of', entries.size, 'people');
}

function mondayOf(day) {
  return daysAfter(day, -((new Date(day).getUTCDay() + 6) % 7));
}

function daysAfter(day, days) {
  const date = new Date(day);
  date.setUTCDate(date.getUTCDate() + days);
  return date.toISOString().slice(0, 10);
}

// step 3
const handlers = {
  'office.sales_order.accepted': carryOrder,
  'office.contract_lot.accepted': carryLot,
  'factory.shipment.created': bill, // step 4
  'factory.requisition.created': fileRequisition, // step 5
  'factory.goods_receipt.recorded': recordReceipt, // step 6
};

async function load() {
  try {
    return JSON.parse(await readFile(stateFile, 'utf8'));
  } catch (failed) {
    if (failed.code !== 'ENOENT') throw failed;
    return { seq: 0 };
  }
}

async function save(state) {
  const file = await open(`${stateFile}.new`, 'w');
  await file.writeFile(JSON.stringify(state));
  await file.sync();
  await file.close();
  await rename(`${stateFile}.new`, stateFile); // a crash leaves the old file or the new one
}

// step 5
async function handle(event) {
  const handler = handlers[event.type];
  try {
    await handler(event.data);
  } catch (failed) {
    if (failed.code === 'duplicate_reference') {
      console.log(event.type, 'was carried before');
    } else if (!(failed instanceof Rejected) || ['unauthorized', 'sandbox_bankrupt'].includes(failed.code)) {
      throw failed; // nothing can be carried any more
    } else { // report it, and do not let it hold up the rest
      console.log('event', event.seq, 'needs a person:', failed.message);
    }
  }
}

// step 3
async function catchUp(state) {
  for (;;) {
    const types = Object.keys(handlers).join();
    const page = await send('GET', `/events?after_seq=${state.seq}&types=${types}`);
    for (const event of page.items) {
      // until 4: const handler = handlers[event.type];
      // until 4: await handler(event.data);
      await handle(event); // step 5
      state.seq = event.seq;
      await save(state); // after the effect, never before
    }
    if (page.next_cursor === null) return;
  }
}
// step 1

// until 2: const orders = await send('GET', '/office/sales-orders?status=accepted');
// until 2: for (const order of orders.items) await carryOrder(order);
// step 3
// until 6: await catchUp(await load());
// step 7
const state = await load();
do {
  await catchUp(state);
  await carryWeeks(state);
  if (!process.argv.includes('--follow')) break;
  // The response comes when there is an event, or after 20 seconds.
  const types = Object.keys(handlers).join();
  await send('GET', `/events/poll?after_seq=${state.seq}&types=${types}&wait_s=20&limit=1`);
} while (true);
