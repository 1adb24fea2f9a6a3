// What to do about a request that failed: the needs that it ran into, and the request to be
// changed and sent again.
import { useState } from '../vendor/preact.js';
import { html, Icon, say } from '../lib/html.js';
import { Refusal, call } from '../lib/api.js';
import { keyFor } from '../lib/session.js';
import * as store from '../lib/store.js';
import { Http, Json, Problem } from './parts.js';
import { Mend, recordsOf, useNeeds } from './needs.js';
import { isWhole, number, plain } from '../lib/format.js';

// rowsMost is how many lines of a body are shown at once.
const rowsMost = 14;

// wordsIn are the texts inside of a value of JSON.
const wordsIn = value =>
  typeof value === 'string' ? [value] : value && typeof value === 'object' ? Object.values(value).flatMap(wordsIn) : [];

// namedBy are the records of a need, and those that its command names. Of presses that is
// nothing to go by: each of a company's runs is on one of two.
const namedBy = item =>
  [
    ...item.records.flatMap(r => [r.id, r.number]),
    ...wordsIn(item.command?.body),
    ...(item.command?.path.split('/').slice(3) ?? []),
  ].filter(word => word && !word.startsWith('prs_'));

// helping are the needs that are about what a failed request was about: its records, and the
// materials and orders that the refusal names. Where one of them names a purchase order that is on
// the way, its truck is among them.
export function helping(items, { path, sent, error }) {
  const about = new Set([...path.split('/').slice(4), ...wordsIn(sent), ...wordsIn(error?.details)]);
  const first = items.filter(item => namedBy(item).some(word => about.has(word)));
  const ordered = new Set(
    first.flatMap(item => item.records.filter(r => r.resource === 'purchase_order').map(r => r.number)),
  );
  const trucks = items.filter(item => !first.includes(item) && namedBy(item).some(word => ordered.has(word)));
  const useful = item => item.command || item.records.some(r => ordered.has(r.number));
  return [...first, ...trucks].filter(useful);
}

// shortOf are the materials that a refusal says are too few, with the purchase order that brings
// more, as far as this tab knows one.
export const shortOf = error =>
  (error?.details?.shortages ?? []).map(s => ({
    sku: s.sku,
    lacks: s.needed - s.on_hand,
    name: store.rows('stock_item').find(i => i.sku === s.sku)?.name ?? s.sku,
    order: store
      .rows('purchase_order')
      .find(o =>
        o.lines.some(line => line.sku === s.sku && (o.receipt_status === 'none' || line.quantity_expected > 0)),
      ),
  }));

const Short = ({ s }) => html`
  <p>
    You are ${number(s.lacks)} short of ${s.name}.${' '}
    ${
      s.order
        ? html`
          <a class="c-office" href=${`/console/office/purchase-orders/${s.order.id}`}>${s.order.number}</a>${' '}
          brings some: record the delivery once it arrives.`
        : html`None is on order: buy it with <code>POST /office/purchase-orders</code>.`
    }
  </p>
`;

function Helps({ r, sent, error }) {
  const { data } = useNeeds();
  const [done, set] = useState([]);
  const note = (name, id) => set(before => [...before, { name, id }]);
  if (!data) return null;
  const items = helping(data.items, { path: r.path, sent, error });
  const said = items.flatMap(i => i.records.map(r => r.number));
  const short = shortOf(error).filter(s => !said.includes(s.sku));
  if (!items.length && !short.length && !done.length) return null;
  return html`
    <section class="helps" aria-label="What helps">
      <h3 class="body-h">What helps</h3>
      ${done.map(
        ({ name, id }) => html`
          <p class="trail helped" key=${id}>
            <${Icon} name="circle-check" size=${14} /> ${name}: done.
            <a class="ref-link" href=${`/console/requests/${id}`}>Open that request</a>
          </p>
        `,
      )}
      ${short.map(s => html`<${Short} key=${s.sku} s=${s} />`)}
      ${items.map(
        item => html`
          <div key=${`${item.kind} ${item.records[0]?.id}`} class="help">
            <p>${plain(item.message)}</p>
            <p class="trail">
              ${recordsOf(item).records.map(x => html`<a class=${`c-${x.system}`} href=${x.href}>${x.name}</a>`)}
            </p>
            ${item.command ? html`<${Mend} command=${item.command} sent=${note} />` : null}
          </div>
        `,
      )}
    </section>
  `;
}

const parsed = text => {
  try {
    return { value: text.trim() ? JSON.parse(text) : undefined };
  } catch (e) {
    return { wrong: e.message };
  }
};

const Outcome = ({ outcome: { problem, status, data, id } }) => html`
  ${problem ? html`<${Problem} refusal=${problem} />` : null}
  <p class="trail">
    ${problem ? null : html`<span><${Http} status=${status} /> <span class="dim">Response</span></span>`}
    ${id ? html`<a class="ref-link" href=${`/console/requests/${id}`}>Open the new request</a>` : null}
  </p>
  ${problem ? null : html`<${Json} value=${data} what="response" />`}
`;

// Resend is a write whose path and body can be changed and sent again, as a new request with a key of its own.
function Resend({ r, sent }) {
  const [text, type] = useState(sent.request_body ? JSON.stringify(JSON.parse(sent.request_body), null, 2) : '');
  const [{ busy, outcome }, set] = useState({ busy: false, outcome: null });
  const [path, move] = useState(r.path + (sent.query ? `?${sent.query}` : ''));
  const body = parsed(text);
  const wrong = body.wrong ?? (path.startsWith('/v1/') ? '' : 'The path must begin with /v1/.');
  const submit = async e => {
    e.preventDefault();
    set({ busy: true, outcome: null });
    try {
      const { status, data, meta } = await call(path, {
        key: keyFor(r.system),
        method: r.method,
        body: body.value,
      });
      say('Sent');
      set({ busy: false, outcome: { status, data, id: meta?.request_id } });
    } catch (e) {
      const problem = e instanceof Refusal ? e : new Refusal(0);
      set({ busy: false, outcome: { problem, id: problem.requestID } });
    }
  };
  return html`
    <details class="resend">
      <summary><${Icon} name="chevron-right" size=${14} />Change it and send it again</summary>
      <form onSubmit=${submit}>
        <p class="dim">Sends a new request, with a new Idempotency-Key.</p>
        <label class="resend-path">
          <code>${r.method}</code><span class="vh"> Path</span>
          <input spellcheck="false" autocomplete="off" value=${path} onInput=${e => move(e.target.value.trim())} />
        </label>
        <label>
          <span class="vh">Body</span>
          <textarea
            spellcheck="false"
            autocomplete="off"
            rows=${Math.min(rowsMost, text.split('\n').length + 1)}
            value=${text}
            onInput=${e => type(e.target.value)}
          />
        </label>
        <div class="row-actions">
          <button class="btn small primary" disabled=${busy || !!wrong} aria-busy=${busy}>
            <${Icon} name="send" size=${13} />${busy ? 'Sending…' : 'Send'}
          </button>
          ${wrong ? html`<span class="c-amber">${wrong}</span>` : null}
        </div>
      </form>
      ${outcome ? html`<${Outcome} outcome=${outcome} />` : null}
    </details>
  `;
}

// editable reports whether all of the body that was sent is kept, and is JSON or empty.
const editable = sent =>
  isWhole(sent.request_body, sent.request_bytes) && (!sent.request_bytes || !parsed(sent.request_body).wrong);

// Repair is for a request that failed, in a tab whose keys may write.
export function Repair({ r, sent, error }) {
  if (store.readOnly.value || r.method === 'GET') return null;
  const body = sent.request_body ? parsed(sent.request_body).value : undefined;
  return html`
    ${store.status.value?.evaluation ? null : html`<${Helps} r=${r} sent=${body} error=${error} />`}
    ${editable(sent) ? html`<${Resend} key=${r.id} r=${r} sent=${sent} />` : null}
  `;
}
