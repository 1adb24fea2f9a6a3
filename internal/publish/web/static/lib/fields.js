// What the fields of a record are called, and how their values are written: with their unit. What
// they mean, the server says.
import { signal } from '../vendor/preact.js';
import { day, money, number, sentence, wallTime, words } from './format.js';

const known = signal(null);
let asked = false;

// collections are all that the server describes, null before it has; it is asked once, and again
// after a failure.
export function collections() {
  if (!asked) {
    asked = true;
    fetch('/console/records.json')
      .then(response => (response.ok ? response.json() : Promise.reject(response)))
      .then(
        all => {
          known.value = all;
        },
        () => {
          asked = false;
        },
      );
  }
  return known.value;
}

// meanings are the fields of a resource with their descriptions.
export const meanings = resource => collections()?.find(c => c.resource === resource)?.fields ?? {};

const names = {
  id: 'Id',
  sku: 'SKU',
  last_sku: 'Printed last',
  paper_sku: 'Paper',
  on_hand_when_filed: 'On hand then',
  hourly_minor: 'Hourly wage',
  badge_no: 'Badge',
  operator_badge_no: 'Operator',
  due_date: 'Due on',
  from_date: 'From',
  to_date: 'To',
  date: 'Day',
  created_at: 'Recorded at',
  updated_at: 'Changed at',
  created_on: 'Recorded on',
  quantity_good: 'Good',
  quantity_ready: 'Ready',
  quantity_shipped: 'Shipped',
  quantity_billed: 'Billed',
  bridged_work_order_id: 'Work order',
  bridged_office_shipment_id: 'Office shipment',
  clicks_minor: 'Click charge',
  click_minor_per_sheet: 'Click charge per sheet',
};

// labelOf is a field in plain words: without its unit, which is at the value.
export const labelOf = name =>
  names[name] ?? sentence(name.replace(/_(?:minor|pct|sim|ids?|ref)(?=_|$)/g, '').replace(/_minutes$/, ' time'));

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d.*Z$/;
const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/;
const date = /^\d{4}-\d\d-\d\d$/;

const units = [
  [/(^|_)pct(_|$)/, '%'],
  [/sheets_per_hour/, 'sheets an hour'],
  [/(^|_)minutes(_|$)/, 'min'],
  [/(^|_)hours(_|$)/, 'h'],
  [/(^|_)days(_|$)/, 'days'],
  [/(^|_)sheets(_|$)/, 'sheets'],
  [/(^|_)cans(_|$)/, 'cans'],
  [/(^|_)plates(_|$)/, 'plates'],
];
const counted = /^(?:quantity|on_hand|reserved|reorder_|balance_after|available_|depth)/;

// many is a quantity of a unit such as sheet, or of packs such as 250 cards.
export function many(n, unit) {
  if (!unit) return number(n);
  if (/^\d/.test(unit)) return `${number(n)} ${n === 1 ? 'pack' : 'packs'} of ${unit}`;
  return `${number(n)} ${unit}${Math.abs(n) === 1 || unit.endsWith('s') ? '' : 's'}`;
}

// written is a number with its unit. A quantity is in the unit of the record or of its goods.
function writtenNumber(name, n, unit) {
  if (/(^|_)minor(_|$)/.test(name)) return `${money(n)} XTS`;
  const of = units.find(([shape]) => shape.test(name))?.[1];
  if (of) return `${Number.isInteger(n) ? number(n) : n} ${of === 'days' && n === 1 ? 'day' : of}`;
  if (name === 'skill') return `${n} of 100`;
  return counted.test(name) ? many(n, unit) : Number.isInteger(n) ? number(n) : String(n);
}

// written is a value in text as people write it; undefined for lists and records.
export function written(name, value, unit) {
  if (value == null || value === '') return '\u2013';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return writtenNumber(name, value, unit);
  if (typeof value !== 'string') return undefined;
  if (instant.test(value)) return `${new Date(value).toLocaleDateString('en-CA')} ${wallTime(value)}`;
  if (moment.test(value)) return `${day(value.slice(0, 10))} ${value.slice(0, 4)}, ${value.slice(11)}`;
  if (date.test(value)) return `${day(value)} ${value.slice(0, 4)}`;
  return /^[a-z]+(?:_[a-z]+)+$/.test(value) ? words(value) : value;
}

// last are the fields of the record as such: they come after those of its trade.
const last = ['currency', 'id', 'created_on', 'created_at', 'updated_at'];

// idOf is the field with the id of the record whose name a field has, such as customer_id for customer_name.
const idOf = name => (name === 'product_name' ? 'sku' : name.replace(/_name$/, '_id'));

// sorted are the fields of a record as they are read: those with a value, those without, and those of the record as
// such. A name is among the last where the field of its id shows it: known tells whether that record is at hand.
export function sorted(record, known = () => false) {
  const all = Object.keys(record);
  const empty = name => record[name] === null || record[name] === '' || record[name]?.length === 0;
  const twice = name => name.endsWith('_name') && !!record[idOf(name)] && known(record[idOf(name)]);
  const own = all.filter(name => !last.includes(name) && !twice(name));
  return {
    filled: own.filter(name => !empty(name)),
    empty: own.filter(empty),
    last: [...all.filter(twice), ...last.filter(name => name in record)],
  };
}
