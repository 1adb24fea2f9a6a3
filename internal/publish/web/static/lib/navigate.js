import { signal } from '../vendor/preact.js';
import { row, rows } from './store.js';
import { day, number, words } from './format.js';

// moved are addresses of before, and the pages that have what was there.
const moved = [
  [/^\/console\/session#(?:faults|triggers?)$/, '/console/faults'],
  [/^\/console\/session#checkpoints$/, '/console/checkpoints'],
  [/^\/console\/world\/checkpoints(?:\/[^#]*)?$/, '/console/checkpoints'],
];

// placeOfURL is the path of the page at an address, also at one of before.
export const placeOfURL = ({ pathname, hash }) =>
  moved.find(([before]) => before.test(pathname + hash))?.[1] ?? pathname;

// path is where the console is, without a query: nothing that you type
// is ever in an address.
export const path = signal(placeOfURL(location));
if (path.value !== location.pathname) history.replaceState(history.state, '', path.value);

// shown is the status or the kind that the next list shows alone, '' for all rows: it is in no address, either.
let shown = '';
export const show = state => {
  shown = state;
};
export function takeShown() {
  const state = shown;
  shown = '';
  return state;
}

// go opens a page, or with stay another part of this one.
export function go(to, stay = false) {
  if (to === path.value) return;
  history.pushState(null, '', to);
  path.value = to;
  if (!stay) scrollTo(0, 0);
}

addEventListener('popstate', () => {
  path.value = placeOfURL(location);
});

addEventListener('click', event => {
  const link = event.target.closest?.('a[href]');
  if (
    !link ||
    event.defaultPrevented ||
    event.button ||
    event.metaKey ||
    event.ctrlKey ||
    event.shiftKey ||
    link.target
  )
    return;
  const url = new URL(link.href);
  if (
    url.origin !== location.origin ||
    !/^\/console(\/|$)/.test(url.pathname) ||
    url.pathname.startsWith('/console/data')
  )
    return;
  event.preventDefault();
  go(placeOfURL(url));
});

// Keys, where nothing is being typed. Rows are elements with data-row; what they
// stand for as a command is in data-curl.
const goes = {
  o: '/console',
  b: '/console/bridge',
  e: '/console/events',
  h: '/console/office',
  f: '/console/factory',
  p: '/console/presses',
  m: '/console/missions',
  w: '/console/webhooks',
  r: '/console/requests',
  i: '/console/faults',
  t: '/console/checkpoints',
  k: '/console/keys',
  c: '/console/connect',
  s: '/console/session',
};
export const helping = signal(false);
// sharing is whether the dialog with the read-only link is open.
export const sharing = signal(false);
// finding is whether the palette is open, which finds records, pages, docs and actions.
export const finding = signal(false);
// onPause is the action of `p` on a page that can hold still.
export const onPause = { current: null };
// pressedG is when g was pressed, by the clock of the key events: a page that is
// busy handles a key late, but does not lose it.
let pressedG = -Infinity;

const visible = element => element.offsetParent !== null;

function step(by) {
  const all = [...document.querySelectorAll('main [data-row]')].filter(visible);
  if (!all.length) return;
  const at = all.indexOf(document.activeElement?.closest?.('[data-row]'));
  const next = all[at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, at + by))];
  next.focus();
  next.scrollIntoView({ block: 'nearest' });
}

export function listen(copyCurl) {
  addEventListener('keydown', event => {
    if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === 'k') {
      event.preventDefault();
      helping.value = false;
      finding.value = !finding.value;
      return;
    }
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || finding.value) return;
    const target = event.target;
    if (event.key === 'Escape' && helping.value) {
      helping.value = false;
      return;
    }
    if (/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) {
      if (event.key === 'Escape') {
        if (target.dataset.filter !== undefined && target.value) {
          target.value = '';
          target.dispatchEvent(new Event('input', { bubbles: true }));
        }
        target.blur();
      }
      return;
    }
    if (event.timeStamp - pressedG < 1200) {
      pressedG = -Infinity;
      if (goes[event.key]) {
        event.preventDefault();
        go(goes[event.key]);
        return;
      }
    }
    const act = {
      '/': () => document.querySelector('main [data-filter]')?.focus(),
      j: () => step(1),
      k: () => step(-1),
      g: () => {
        pressedG = event.timeStamp;
      },
      '?': () => {
        helping.value = !helping.value;
      },
      p: () => onPause.current?.(),
      c: () => {
        const curl = document.activeElement?.closest?.('[data-curl]')?.dataset.curl;
        if (curl) copyCurl(curl);
      },
    }[event.key];
    if (act) {
      event.preventDefault();
      act();
      return;
    }
    if (event.key === 'Enter' && target.matches?.('tr[data-row], li[data-row], div[data-row]')) {
      event.preventDefault();
      target.click();
    }
  });
}

// places says where the console shows the records of a collection: the page, the resource, how
// ids and numbers begin, and the path of the API where it is another one.
export const places = [
  ['office/sales-orders', 'sales_order', 'so_ SO-'],
  ['office/contract-lots', 'contract_lot', 'lot_ LOT-'],
  ['office/shipments', 'office_shipment', 'sho_ SHO-'],
  ['office/customer-invoices', 'customer_invoice', 'cin_ INV-'],
  ['office/payments', 'payment', 'pay_'],
  ['office/requisitions', 'office_requisition', 'rqn_ RQ-'],
  ['office/purchase-orders', 'purchase_order', 'po_ PO-'],
  ['office/goods-receipts', 'office_goods_receipt', 'gro_'],
  ['office/supplier-invoices', 'supplier_invoice', 'sin_ SI-'],
  ['office/ledger', 'ledger_entry', 'led_'],
  ['office/employees', 'employee', 'emp_'],
  ['office/leave-requests', 'leave_request', 'lvr_'],
  ['office/timesheets', 'timesheet', 'tms_'],
  ['office/payroll-runs', 'payroll_run', 'prl_'],
  ['office/market-trades', 'market_trade', 'mtr_', 'office/market/trades'],
  ['office/market', 'market_quote', ''],
  ['office/customers', 'customer', 'cus_'],
  ['office/suppliers', 'supplier', 'sup_'],
  ['office/products', 'office_product', ''],
  ['factory/work-orders', 'work_order', 'wo_ WO-'],
  ['factory/print-runs', 'print_run', 'pr_'],
  ['factory/shipments', 'factory_shipment', 'shf_ SHF-'],
  ['factory/stock', 'stock_item', 'itm_ mat_'],
  ['factory/stock-moves', 'stock_move', 'mov_'],
  ['factory/requisitions', 'factory_requisition', 'frq_ FR-'],
  ['factory/deliveries', 'delivery', 'dlv_'],
  ['factory/goods-receipts', 'factory_goods_receipt', 'grf_'],
  ['factory/market-deliveries', 'market_delivery', 'mdl_'],
  ['factory/presses', 'press', 'prs_'],
  ['factory/operators', 'operator', 'opr_'],
  ['factory/attendance', 'attendance', 'att_'],
  ['factory/products', 'factory_product', 'prd_'],
  ['world/lore-events', 'lore_event', 'lor_', 'sandbox/lore-events'],
  ['world/major-orders', 'major_order', 'mjo_', 'sandbox/major-orders'],
  ['world/achievements', 'achievement', '', 'sandbox/achievements'],
  ['events', 'event', 'evt_'],
  ['requests', 'call', 'req_'],
  ['webhooks', 'webhook', 'whk_'],
  ['webhooks', 'webhook_delivery', 'whd_', 'webhooks/{id}/deliveries'],
  ['missions', 'mission', ''],
  ['bridge', 'integration_finding', '', 'sandbox/integration'],
  ['checkpoints', 'checkpoint', 'chk_', 'sandbox/checkpoints'],
  ['faults', 'fault', '', 'sandbox/faults'],
  ['faults', 'fault', '', 'sandbox/triggers'],
  ['session', 'fault', 'sbx_', 'sandbox'],
];
const beginnings = places.flatMap(p => (p[2] ? p[2].split(' ').map(b => [b, p]) : []));
const shapes = /^(?:[a-z]{2,3}_[0-9a-z_]{2,40}|[A-Z]{2,3}-\d{3,})$/;
// whole are pages that show all of their records at once.
const whole = ['missions', 'bridge', 'checkpoints', 'faults', 'session'];
export const address = (page, id) => `/console/${page}${id && !whole.includes(page) ? `/${id}` : ''}`;
const placeOf = id => (shapes.test(id) ? beginnings.find(([b]) => id.startsWith(b))?.[1] : undefined);

// resourceOf is the kind of record that an id names, or a number on paper such as SO-1013.
export const resourceOf = id => placeOf(id)?.[1];

// pageOf is the page that shows it; empty for a text that is neither an id nor a number.
export function pageOf(id) {
  const place = placeOf(id);
  return place ? address(place[0], id) : '';
}

// pageOfPath is the page that shows what a path or an address of the API has.
export function pageOfPath(text) {
  const path = /^(?:https?:\/\/[^/]+)?(?:\/v1)?\/([^?#]*)/.exec(text)?.[1] ?? '';
  const place = places.find(([page, , , api]) => `${path}/`.startsWith(`${api ?? page}/`));
  if (!place) return '';
  const id = path.slice((place[3] ?? place[0]).length + 1).split('/')[0];
  return address(place[0], /^(?:poll|stream)?$|\.csv$/.test(id) ? '' : id);
}

// pageOfField is the page of what a field holds. Badges are known by the name of the field alone,
// and Head Office has a page of products of its own.
export function pageOfField(name, value, system) {
  if (typeof value !== 'string') return '';
  if (/(?:^|_)badge_no$/.test(name)) return address('office/employees', value);
  if (name === 'self' || name === 'path') return pageOfPath(value);
  if (system === 'office' && value.startsWith('prd_')) return address('office/products', value);
  return pageOf(value);
}

// Names of records: a number on paper, a name, or the purpose of a record.

const personOf = badge => rows('employee').find(e => e.badge_no === badge)?.name ?? `badge ${badge}`;
const goodsOf = sku => rows('stock_item').find(i => i.sku === sku)?.name ?? sku;
const weekOf = r => `week of ${day(r.week_start)}`;

// worksOf are the ids of the work orders that a run prints together.
export const worksOf = r => r.items?.map(i => i.work_order_id) ?? [r.work_order_id];

// names are for records that have no number and no name of their own.
const names = {
  payment: r => `payment of ${r.payer_name}`,
  timesheet: weekOf,
  payroll_run: weekOf,
  print_run: r =>
    `run of ${worksOf(r)
      .map(id => nameOf(id) ?? id)
      .join(', ')}`,
  delivery: r => `delivery for ${r.purchase_order_number}`,
  factory_goods_receipt: r => `receipt of ${r.purchase_order_number}`,
  office_goods_receipt: r => `receipt of ${nameOf(r.purchase_order_id) ?? r.purchase_order_id}`,
  ledger_entry: r => `${words(r.kind)} on ${day(r.entry_on)}`,
  stock_move: r => `${words(r.kind)} of ${goodsOf(r.sku)}`,
  attendance: r => `${personOf(r.badge_no)} on ${day(r.date)}`,
  operator: r => personOf(r.badge_no),
  leave_request: r => `leave from ${day(r.from_date)}`,
  market_trade: r => `${words(r.side)} ${number(r.quantity)} × ${goodsOf(r.sku)}`,
  market_delivery: r => `${number(r.quantity)} × ${goodsOf(r.sku)}`,
  webhook: r => r.url_host,
};

// nameFor is the name of a record that is at hand.
export const nameFor = (resource, r) => names[resource]?.(r) ?? r.number ?? r.name ?? r.title ?? r.label ?? r.id;

// nameOf is the name of the record of an id, as far as this tab knows it.
export function nameOf(id) {
  const resource = resourceOf(id);
  const held = row(resource, id);
  const name = held && nameFor(resource, held);
  return name === id ? undefined : name;
}
