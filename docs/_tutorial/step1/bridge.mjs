// Carries records between Head Office and the Factory.
import { send } from './api.mjs';

async function carryOrder(order) {
  const work = await send('POST', '/factory/work-orders', `carry-${order.id}`, {
    sku: order.sku,
    quantity: order.quantity,
    due_date: order.due_date,
    reference: order.id,
  });
  console.log(order.number, 'is work order', work.number);
}

const orders = await send('GET', '/office/sales-orders?status=accepted');
for (const order of orders.items) await carryOrder(order);
