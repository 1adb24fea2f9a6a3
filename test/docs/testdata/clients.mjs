import { Client, signWebhook } from 'platen';

const client = new Client(process.env.PLATEN_URL, {
  office: process.env.PLATEN_OFFICE_KEY,
  factory: process.env.PLATEN_FACTORY_KEY,
});
const { items: [order] } = await client.listSalesOrders({ status: 'received' });
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const body = '{"id":"evt_1"}';
const request = { headers: await signWebhook({ secret, id: 'evt_1', body }) };
let handled = 0;
async function handle() {
  if (++handled === 5) process.exit(0);
}
void [order, secret, body, request, handle];

