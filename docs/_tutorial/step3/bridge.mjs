// Carries records between Head Office and the Factory.
import { open, readFile, rename } from 'node:fs/promises';
import { send } from './api.mjs';

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

const handlers = {
  'office.sales_order.accepted': carryOrder,
  'office.contract_lot.accepted': carryLot,
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

async function catchUp(state) {
  for (;;) {
    const types = Object.keys(handlers).join();
    const page = await send('GET', `/events?after_seq=${state.seq}&types=${types}`);
    for (const event of page.items) {
      const handler = handlers[event.type];
      await handler(event.data);
      state.seq = event.seq;
      await save(state); // after the effect, never before
    }
    if (page.next_cursor === null) return;
  }
}

await catchUp(await load());
