// Plays a company from an order to its money with one of the official clients.
//
//     node play.mjs LIBRARY URL [KEY] [MODE]
//
// LIBRARY is sdk (1.x) or client (2.x); MODE is how client negotiates the
// revision: legacy or auto. Half way it says "restart" and waits for a line.
import { createInterface } from 'node:readline';

const [library, url, key = '', mode = 'legacy'] = process.argv.slice(2);

const { Client, StreamableHTTPClientTransport } = library === 'sdk'
  ? { ...await import('@modelcontextprotocol/sdk/client/index.js'), ...await import('@modelcontextprotocol/sdk/client/streamableHttp.js') }
  : await import('@modelcontextprotocol/client');

const client = new Client({ name: 'platen-test', version: '1' }, library === 'client' ? { versionNegotiation: { mode } } : {});
const transport = new StreamableHTTPClientTransport(new URL(url), key ? { requestInit: { headers: { Authorization: `Bearer ${key}` } } } : {});
await client.connect(transport);
console.log(client.getNegotiatedProtocolVersion?.() ?? transport.protocolVersion);

async function attempt(name, args = {}) {
  const result = await client.callTool({ name, arguments: args });
  return { refused: result.isError === true, ...JSON.parse(result.content[0].text) };
}

async function call(name, args = {}) {
  const answer = await attempt(name, args);
  if (answer.refused) throw new Error(`${name}: ${JSON.stringify(answer.error)}`);
  return answer.data;
}

async function tick() {
  for (;;) {
    const answer = await attempt('advance_time', { minutes: 480, view: 'full' });
    if (!answer.refused) return;
    if (answer.error.code !== 'tick_rate') throw new Error(JSON.stringify(answer.error));
    await call('wait_for_events', { after_seq: 2 ** 40, wait_s: 1 });
  }
}

const { tools } = await client.listTools();
console.log(`tools ${tools.length}`);
if (!key) await call('create_sandbox', { preset: 'starter', clock: 'manual', seed: 5 });

const { items } = await call('office_list', { resource: 'sales_orders', status: 'received' });
const order = await call('office_answer_sales_order', { id: items.findLast((o) => o.sku === 'prd_card').id, answer: 'accept' });
const work = order.bridged_work_order_id;
await call('factory_start_print_run', { press_id: 'prs_digital', work_order_id: work, overs_pct: 20 });

console.log('restart');
const lines = createInterface({ input: process.stdin });
await new Promise((resolve) => lines.once('line', resolve));
lines.close();

while ((await call('factory_get', { resource: 'work_orders', id: work })).status !== 'ready') await tick();
await call('factory_create_shipment', { work_order_id: work });
for (let days = 0; (await call('office_get', { resource: 'sales_orders', id: order.id })).status !== 'paid'; days++) {
  if (days > 60) throw new Error('nobody pays');
  await tick();
}
const refused = await attempt('office_get', { resource: 'sales_orders', id: 'so_none' });
if (!refused.refused || refused.error.code !== 'not_found') throw new Error(JSON.stringify(refused));
console.log('paid');
await client.close();
process.exit(0);
