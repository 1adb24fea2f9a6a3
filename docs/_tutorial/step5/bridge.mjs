// Carries records between Head Office and the Factory.
import { open, readFile, rename } from 'node:fs/promises';
import { Rejected, send } from './api.mjs';

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

async function bill(parcel) {
  // The reference on the parcel is the one that we gave the work order.
  const field = parcel.reference.startsWith('lot_') ? 'contract_lot_id' : 'sales_order_id';
  const shipment = await send('POST', '/office/shipments', `bill-${parcel.id}`, {
    [field]: parcel.reference,
    factory_shipment_ref: parcel.id,
  });
  console.log(parcel.number, 'is billed as', shipment.invoice.number);
}

async function fileRequisition(wanted) {
  const requisition = await send('POST', '/office/requisitions', `file-${wanted.id}`, {
    lines: [{ sku: wanted.sku, quantity: wanted.quantity }],
    needed_by: wanted.needed_by,
    reference: wanted.id,
  });
  console.log(wanted.number, 'is requisition', requisition.number);
}

const handlers = {
  'office.sales_order.accepted': carryOrder,
  'office.contract_lot.accepted': carryLot,
  'factory.shipment.created': bill,
  'factory.requisition.created': fileRequisition,
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

async function catchUp(state) {
  for (;;) {
    const types = Object.keys(handlers).join();
    const page = await send('GET', `/events?after_seq=${state.seq}&types=${types}`);
    for (const event of page.items) {
      await handle(event);
      state.seq = event.seq;
      await save(state); // after the effect, never before
    }
    if (page.next_cursor === null) return;
  }
}

await catchUp(await load());
