// Triggers and their results.
import { anyKey } from './session.js';
import { call } from './api.js';
import { day, number, sentence, words } from './format.js';

// kinds are the triggers of this server, as its document has them: to ask for them would
// be a request of a client, and start a clock that waits for one.
let known;
export function kinds() {
  known ??= JSON.parse(document.getElementById('trigger-kinds').textContent);
  return known;
}

// What belongs to no other group is of the world.
const groups = [
  ['Orders and payments', 'order rush_order contract_lot customer_pays customer_pays_late customer_disputes'],
  ['Suppliers', 'truck_early truck_late truck_short truck_damaged truck_in_two wrong_bill bill_twice'],
  ['People', 'employee_sick employee_returns employee_quits leave'],
  ['Stock and market', 'stock_low market_move'],
].map(([name, types]) => [name, types.split(' ')]);
const world = 'The world';
const groupOf = ({ type }) => groups.find(([, types]) => types.includes(type))?.[0] ?? world;

// grouped are [group, triggers], without groups of none.
export const grouped = all =>
  [...groups.map(([name]) => name), world]
    .map(name => [name, all.filter(t => groupOf(t) === name)])
    .filter(([, of]) => of.length);

// needsOf are the conditions of a trigger, also where another trigger has them.
export function needsOf(trigger, all) {
  const as = /^As (\w+)\.$/.exec(trigger.needs ?? '');
  return (as && all.find(t => t.type === as[1])?.needs) ?? trigger.needs;
}

// fields are the label of each and, of an integer, its bounds.
export const fields = {
  sku: { label: 'Material' },
  quantity: { label: 'Quantity', min: 1, max: 10_000 },
  customer_id: { label: 'Customer' },
  unit_price_minor: { label: 'Price of one, in hundredths', min: 1, max: 10_000_000 },
  due_date: { label: 'Wanted on', date: true },
  days: { label: 'Working days', min: 1, max: 60 },
  pct: { label: 'Per cent', min: -50, max: 100 },
  badge_no: { label: 'Badge' },
  press_id: { label: 'Press' },
  customer_invoice_id: { label: 'Customer invoice' },
  purchase_order_id: { label: 'Purchase order' },
};
// labelOf is the label of a field at a trigger; that of orders and lots is a product.
const ordered = ['order', 'rush_order', 'contract_lot'];
export const labelOf = ({ type }, name) =>
  name === 'sku' && ordered.includes(type) ? 'Product' : (fields[name]?.label ?? sentence(name));
export const isDate = name => !!fields[name]?.date;
export const isNumber = name => fields[name]?.min !== undefined;

// skus are the products or the stock that a trigger can be about: ink and plates have no
// market.
const unlisted = ['mat_ink', 'mat_plate'];
export function skus({ type }, products, stock) {
  if (ordered.includes(type)) return products;
  if (type === 'stock_low') return stock.filter(i => i.kind === 'material');
  return stock.filter(i => i.kind !== 'finished' && !unlisted.includes(i.sku));
}

// bodyOf leaves out what was left empty.
export function bodyOf(trigger, typed) {
  const body = { type: trigger.type };
  for (const name of trigger.fields) {
    const text = (typed[name] ?? '').trim();
    if (text) body[name] = isNumber(name) ? Number(text) : text;
  }
  return body;
}

// pull brings it about.
export async function pull(body) {
  const { data, meta } = await call('/v1/sandbox/triggers', { method: 'POST', key: anyKey(), body });
  return { ...data, today: meta.sim_date };
}

// outcome is one line of what came of it. Where nothing is written yet it is to come.
export function outcome({ type, resource, id, sim_date, sim_time, events_written: n, today }, clock) {
  const now = n > 0 || sim_time <= clock;
  const when = sim_date > today ? `on ${day(sim_date)}, ${sim_time}` : now ? 'now' : `today, ${sim_time}`;
  const events = n === 0 ? 'no event yet' : `${number(n)} event${n === 1 ? '' : 's'}`;
  return { title: words(type), text: `${words(resource)} ${id}, ${when}, ${events}` };
}
