// What needs attention: what it costs, and the request that fixes it.
import { useRef, useState } from '../vendor/preact.js';
import { html, Icon, say } from '../lib/html.js';
import { Refusal, call } from '../lib/api.js';
import { keyFor, session } from '../lib/session.js';
import * as store from '../lib/store.js';
import { resourceOf } from '../lib/navigate.js';
import { day, number, plain, roundMoney, sentence, words } from '../lib/format.js';
import { Code, Problem, Skeleton, sending, useAsked } from './parts.js';

// systemOf is the system whose key a path wants; what is shared takes either.
export const systemOf = path => /^\/(office|factory)\//.exec(path)?.[1] ?? 'shared';

// recordsOf are the records of an item, with the pages that show them, and how many there are
// beyond them.
export const recordsOf = item => ({
  records: item.records.map(r => ({
    id: r.id,
    system: r.system,
    name: r.resource === 'payroll_run' ? `Week of ${day(r.number)}` : r.number || `${words(r.resource)} ${r.id}`,
    href: r.resource === 'webhook' ? `/console/webhooks/${r.id}` : `/console${r.path}`,
  })),
  more: item.record_count - item.records.length,
});

// costText is what an item costs, '' for what has no price.
export const costText = item => (item.cost_minor > 0 ? roundMoney(item.cost_minor) : '');

// commandNames are what the commands do, on a button.
const commandNames = {
  accept_sales_order: 'Accept it',
  decline_sales_order: 'Decline it',
  start_print_run: 'Start the run',
  create_factory_shipment: 'Ship it',
  create_factory_goods_receipt: 'Count it in',
  create_purchase_order: 'Order it',
  approve_purchase_order: 'Approve it',
  approve_requisition: 'Approve it',
  pay_supplier_invoice: 'Pay it',
  run_payroll: 'Pay the wages',
  hire_employee: 'Hire',
  test_webhook: 'Send a test',
  update_webhook: 'Enable it',
};

// numberOf is the number on paper of the record that a command is about, as far as this tab knows it.
const numberOf = ({ path = '', body = {} }) =>
  [...path.split('/'), ...Object.values(body ?? {})]
    .filter(part => typeof part === 'string')
    .map(id => store.row(resourceOf(id), id))
    .map(r => r?.number ?? r?.purchase_order_number)
    .find(Boolean);

// nameOf is what a command does, on a button.
export const nameOf = command => {
  const name = commandNames[command.operation] ?? sentence(command.operation);
  return name.replace(/\bit\b/, numberOf(command) ?? 'it');
};

// curlOf is the whole request of a command, for a terminal. Each time it is pasted it has a key of
// its own.
export const curlOf = ({ method, path, body }) =>
  sending(method, path, { system: systemOf(path) === 'factory' ? 'factory' : 'office', key: '$(date +%s%N)', body });

// canSend reports whether this tab has the key that a command wants.
const canSend = command => !!keyFor(systemOf(command.path));

// send sends a command as it was proposed.
const send = command =>
  call(`/v1${command.path}`, { key: keyFor(systemOf(command.path)), method: command.method, body: command.body });

// attentionPause is the least time between two reads of what needs attention, in ms; few is how
// many items are shown at first.
const attentionPause = 4000;
const few = 3;

function NeedRecords({ item }) {
  const { records, more } = recordsOf(item);
  if (!records.length) return null;
  return html`
    <p class="trail">
      ${records.map(r => html`<a class=${`c-${r.system}`} href=${r.href}>${r.name}</a>`)}
      ${more > 0 ? html`<span class="dim">and ${number(more)} more</span>` : null}
    </p>
  `;
}

// Mend is the request that mends something, with what it does and spends: to be sent from here,
// or copied.
export function Mend({ command, ask }) {
  const [{ busy, refusal }, set] = useState({ busy: false, refusal: null });
  const [shown, show] = useState(false);
  const name = nameOf(command);
  const mend = async () => {
    set({ busy: true, refusal: null });
    try {
      await send(command);
      say(`${name}: done`);
      set({ busy: false, refusal: null });
      await ask();
    } catch (e) {
      set({ busy: false, refusal: e instanceof Refusal ? e : new Refusal(0) });
    }
  };
  return html`
    <div class="mend">
      ${command.effect ? html`<p class="dim">${plain(command.effect)}</p>` : null}
      <div class="row-actions">
        ${
          canSend(command) && !store.readOnly.value
            ? html`
              <button class="btn small" disabled=${busy} aria-busy=${busy} onClick=${mend}>
                <${Icon} name="zap" size=${13} />${busy ? 'Sending…' : name}
              </button>
            `
            : html`<b>${name}</b>`
        }
        <button class="btn small" aria-expanded=${shown} onClick=${() => show(!shown)}>
          <${Icon} name="terminal" size=${13} />As a request<span class="vh"> that does: ${name}</span>
        </button>
      </div>
      ${shown ? html`<${Code} what=${name} text=${curlOf(command)} />` : null}
      ${refusal ? html`<${Problem} refusal=${refusal} />` : null}
    </div>
  `;
}

const Need = ({ item, ask }) => html`
  <li>
    <p class="need-h">
      <b>${sentence(item.kind)}</b>
      ${
        item.cost_minor > 0
          ? html`<span class="pill warn num">about ${costText(item)} by tomorrow evening</span>`
          : null
      }
    </p>
    <p>${plain(item.message)}</p>
    <${NeedRecords} item=${item} />
    ${item.command ? html`<${Mend} command=${item.command} ask=${ask} />` : null}
  </li>
`;

const Turn = ({ t }) => html`
  <li>
    <p class="need-h">
      <span class="dim num">${day(t.sim_date)}</span>
      ${t.seq == null ? null : html`<span class="dim num">event ${t.seq}</span>`}
    </p>
    <p>${plain(t.message)}</p>
  </li>
`;

const keyOf = item => `${item.kind} ${item.command?.operation ?? ''} ${item.records[0]?.id ?? item.message}`;

// settled is the list as it stood, with what is gone marked as over and what is new at its end.
export function settled(before, now) {
  const there = new Map(now.map(item => [keyOf(item), item]));
  const stood = new Set(before.map(keyOf));
  return [
    ...before.map(item => there.get(keyOf(item)) ?? { ...item, over: true }),
    ...now.filter(item => !stood.has(keyOf(item))),
  ];
}

// touchRest is how long a list stands still after a finger was on it, in ms.
const touchRest = 3000;

// useStill keeps a list from moving while a pointer or the focus is in it: a second click would hit
// something else than the first.
function useStill(items) {
  const [held, hold] = useState(false);
  const shown = useRef(items);
  const timer = useRef(0);
  shown.current = held ? settled(shown.current, items) : items;
  const keep = () => {
    clearTimeout(timer.current);
    hold(true);
  };
  const leave = rest => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => hold(false), rest);
  };
  return {
    items: shown.current,
    still: {
      onPointerEnter: keep,
      onPointerLeave: e => leave(e.pointerType === 'mouse' ? 0 : touchRest),
      onFocusIn: keep,
      onFocusOut: e => e.currentTarget.contains(e.relatedTarget) || leave(touchRest),
    },
  };
}

const Over = ({ item }) => html`
  <li class="over">
    <p class="need-h"><b>${sentence(item.kind)}</b> <${Icon} name="circle-check" size=${14} /></p>
    <p>${item.command ? `${nameOf(item.command)}: done, or no longer needed.` : 'It is over.'}</p>
  </li>
`;

function Needs({ items: present, ask }) {
  const [all, show] = useState(false);
  const { items, still } = useStill(present);
  if (!items.length)
    return html`<p class="pad calm-line"><${Icon} name="circle-check" size=${16} />Nothing needs attention.</p>`;
  const rest = items.length - few;
  return html`
    <ol class="needs" ...${still}>
      ${(all ? items : items.slice(0, few)).map(i =>
        i.over ? html`<${Over} key=${keyOf(i)} item=${i} />` : html`<${Need} key=${keyOf(i)} item=${i} ask=${ask} />`,
      )}
    </ol>
    ${
      rest > 0
        ? html`<div class="pad"><button class="btn small" aria-expanded=${all} onClick=${() => show(!all)}>
            ${all ? 'Show less' : `Show ${number(rest)} more`}
          </button></div>`
        : null
    }
  `;
}

// useNeeds asks what needs attention, and again when something has happened.
export function useNeeds() {
  const { last_seq } = store.status.value;
  const stamp = `${last_seq} ${store.present.value.sim_date} ${store.ended.value}`;
  return useAsked('/console/data/attention', stamp, attentionPause);
}

function AskedNeeds() {
  const { data, refusal, ask } = useNeeds();
  if (!data && !refusal) return html`<div class="pad"><${Skeleton} width="60%" /></div>`;
  if (!data) return html`<div class="pad"><${Problem} refusal=${refusal} retry=${ask} /></div>`;
  if (data.history.length)
    return html`<ol class="needs">${data.history.map(t => html`<${Turn} key=${t.message} t=${t} />`)}</ol>`;
  return html`<${Needs} items=${data.items} ask=${ask} />`;
}

// Attention is not there where players are compared: it would play for them.
export function Attention() {
  const s = store.status.value;
  if (s?.evaluation) return null;
  return html`
    <section class="card attention" aria-labelledby="attention">
      <div class="card-h">
        <h2 id="attention">${store.ended.value ? 'How it came to this' : 'Needs attention'}</h2>
        ${
          store.ended.value
            ? null
            : html`<span class="dim">Amounts are estimates, and one order can be behind several of them.</span>`
        }
      </div>
      ${
        s && session.value
          ? html`<${AskedNeeds} key=${session.value.sandbox_id} />`
          : html`<div class="pad"><${Skeleton} width="60%" /></div>`
      }
    </section>
  `;
}
