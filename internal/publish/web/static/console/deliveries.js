// Deliveries to subscriptions, by the event that they carry: the attempts, what was sent, and how
// the receiver responded.
import { useState } from '../vendor/preact.js';
import { html, Icon, say } from '../lib/html.js';
import { anyKey, reviewing } from '../lib/session.js';
import { go, pageOfPath } from '../lib/navigate.js';
import * as store from '../lib/store.js';
import { number, wallTime, words } from '../lib/format.js';
import { Ago, Empty, EventType, Http, Json, Problem, Ref, SkeletonRows, Status, Table } from './parts.js';
import { Share, useAsked, useSeen } from './parts.js';
import { check } from './verifier.js';

const states = ['delivered', 'failed', 'pending', 'deferred', 'dropped'];
const head = [['Response'], ['Event'], ['Record', 'opt'], ['Status'], ['Attempts', 'r opt opt-m'], ['When', 'r opt-s']];
const shownMost = 100;
// bodyMost is the most bytes of a delivered body; ping is the type of a test.
const bodyMost = 4096;
const ping = 'webhook.ping';
// pause is the least time between two reads of one event, in ms.
const pause = 1000;
const neverCame = 'Acknowledged by the fault. Your receiver did not get it.';

// pageFor is the address of a delivery, which is open there.
const pageFor = d => `/console/webhooks/${d.id}`;

// isToCome reports whether an attempt is still to be made. One that was dropped never is.
const isToCome = d => !d.sent_at && d.status !== 'dropped';

// groupsOf puts attempts under their events, each oldest first and those to come last; the newest
// event comes first. A test is an event of its own. The last attempt of a group is one that
// delivered it, if any has; a retry that was dropped is none.
export function groupsOf(list) {
  const groups = new Map();
  for (const d of list) {
    const key = `${d.webhook_id} ${d.trigger === 'test' ? d.id : d.event_id}`;
    if (!groups.has(key)) groups.set(key, { key, attempts: [] });
    groups.get(key).attempts.unshift(d);
  }
  return [...groups.values()].map(({ key, attempts }) => {
    const sorted = attempts.toSorted((a, b) => isToCome(a) - isToCome(b));
    const good = sorted.findLast(d => d.status === 'delivered');
    const made = good ?? sorted.findLast(d => d.sent_at);
    const end = sorted.at(-1);
    return { key, attempts: sorted, last: good ?? (end.status === 'dropped' && made ? made : end), made };
  });
}

// repeatable is the delivery of a group that the API sends again when it is asked to.
export const repeatable = ({ attempts }, hook) =>
  hook?.status === 'active' && !reviewing()
    ? attempts.findLast(d => d.trigger !== 'test' && ['delivered', 'failed', 'dropped'].includes(d.status))
    : undefined;

function Again({ d, act, busy }) {
  const path = `/v1/webhooks/${d.webhook_id}/deliveries/${d.id}/redeliver`;
  const send = () => act(d.id, path, { method: 'POST' }, () => say('Sent again'));
  return html`
    <button class="btn small again" disabled=${!!busy} onClick=${send}>
      <${Icon} name="rotate-cw" size=${13} />
      Send it again
    </button>
  `;
}

const Response = ({ d }) =>
  d?.status_code || d?.error_class
    ? html`<${Http} status=${d.status_code} code=${words(d.error_class)} />`
    : html`<span class="dim">${'\u2013'}</span>`;

const heldEvent = id => store.events.value.find(e => e.id === id);

// About is the record of an event, where this tab holds the event.
function About({ event }) {
  const page = pageOfPath(event?.links?.self ?? '');
  if (!page) return html`<span class="dim">${'\u2013'}</span>`;
  const id = page.split('/').at(-1);
  const { number: no, title, name } = event.data;
  return no || title || name
    ? html`<a class="ref-link" href=${page} title=${id}>${no ?? title ?? name}</a>`
    : html`<${Ref} id=${id} system=${event.system} />`;
}

// whyOf says what is special about an attempt.
const whyOf = d =>
  [d.trigger !== 'auto' ? d.trigger : '', d.via ? `by an ${d.via}` : '', d.error_class ? words(d.error_class) : '']
    .filter(Boolean)
    .join(', ');

// whenOf is when an attempt was made, or is to be.
const whenOf = d => (d.sent_at ? wallTime(d.sent_at) : isToCome(d) ? `next attempt ${wallTime(d.due_at)}` : 'not sent');

// Attempt is a line of the attempts; one that was dropped has no number, for it was none.
const Attempt = ({ d, n }) => html`
  <li>
    <span class="att-n num">${d.status === 'dropped' ? '\u2013' : n}</span>
    <${Response} d=${d} />
    <${Status} is=${d.status} />
    <span class="dim" title=${d.via ? neverCame : undefined}>${whyOf(d)}</span>
    <span class="grow" />
    ${d.latency_ms == null ? null : html`<span class="num">${number(d.latency_ms)} ms</span>`}
    <span class="dim num">${whenOf(d)}</span>
  </li>
`;

// placeOf is the number of an attempt among those that were not dropped.
const placeOf = (all, i) => all.slice(0, i).filter(d => d.status !== 'dropped').length + 1;

// Payload is the body that was sent, without the event's number in the feed, and its signature to be checked: made is
// the attempt that was sent.
function Payload({ event, asked, made }) {
  if (asked?.refusal) return html`<${Problem} refusal=${asked.refusal} />`;
  if (!event) return html`<${SkeletonRows} rows=${3} widths=${['4rem', '60%']} />`;
  const { seq: _, ...value } = event;
  const body = JSON.stringify(value);
  const cut = new Blob([body]).size > bodyMost;
  const timestamp = made && String(Math.floor(Date.parse(made.sent_at) / 1000));
  return html`
    ${cut ? html`<p class="dim">Above ${number(bodyMost)} bytes, only the short fields of data are sent.</p>` : null}
    <${Json} value=${value} what="payload" system=${event.system} />
    ${
      made
        ? html`
          <div class="row-actions">
            <button
              class="btn small"
              id="check-this"
              onClick=${() => check({ id: event.id, timestamp, body: cut ? '' : body })}
            >
              <${Icon} name="shield-check" size=${13} />
              Check this signature
            </button>
          </div>
        `
        : null
    }
  `;
}

// Older asks the API for an event that this tab does not hold.
function Older({ id, made }) {
  const asked = useAsked(`/v1/events/${id}`, id, pause, anyKey());
  return html`<${Payload} event=${asked.data} asked=${asked} made=${made} />`;
}

function Opened({ g, hook, act, busy }) {
  const { last, made, attempts: all } = g;
  const event = heldEvent(last.event_id);
  const again = repeatable(g, hook);
  return html`
    <tr class="under">
      <td colspan="6">
        <div class="dlv">
          <section aria-label="Attempts">
            <div class="rec-h">
              <h3>Attempts</h3>
              <span class="grow" />
              <${Share} path=${pageFor(last)} what="this delivery" />
              ${again ? html`<${Again} d=${again} act=${act} busy=${busy} />` : null}
              ${
                hook?.status === 'disabled'
                  ? html`<span class="dim" id="enable-first">Enable the webhook to send it again.</span>`
                  : null
              }
            </div>
            <ol class="attempts">${all.map((d, i) => html`<${Attempt} key=${d.id} d=${d} n=${placeOf(all, i)} />`)}</ol>
            <dl class="facts">
              ${
                last.event_type === ping
                  ? null
                  : html`<div><dt>Event</dt><dd><${Ref} id=${last.event_id} raw /></dd></div>`
              }
              <div><dt>Delivery</dt><dd><code>${last.id}</code></dd></div>
              <div><dt>webhook-id</dt><dd><code>${last.event_id}</code></dd></div>
            </dl>
            <p class="dim">Platen stores the status, latency and error of each response, but not its body.</p>
          </section>
          <section aria-label="Payload">
            <div class="rec-h"><h3>Payload</h3></div>
            ${
              last.event_type === ping
                ? html`<p class="dim">A ping is signed as any delivery. It is in no feed; its body is not kept.</p>`
                : event
                  ? html`<${Payload} event=${event} made=${made} />`
                  : html`<${Older} id=${last.event_id} made=${made} />`
            }
          </section>
        </div>
      </td>
    </tr>
  `;
}

function Group({ g, one, named, act, busy }) {
  const { last, made } = g;
  const hook = store.row('webhook', last.webhook_id);
  const opened = g.attempts.some(d => d.id === one);
  const flip = () => go(opened ? `/console/webhooks/${last.webhook_id}` : pageFor(last), !named);
  const row = useSeen(opened);
  return html`
    <tr
      data-row
      ref=${row}
      tabindex="0"
      class=${opened ? 'picked' : ''}
      onClick=${e => e.target.closest('a') || flip()}
    >
      <td><${Response} d=${made} /></td>
      <td class="wide">
        <${EventType} type=${last.event_type} />
        ${named && hook ? html` <span class="dim to-host">to ${hook.url_host}</span>` : null}
      </td>
      <td class="opt"><${About} event=${heldEvent(last.event_id)} /></td>
      <td><${Status} is=${last.status} /></td>
      <td class="r num opt opt-m">${g.attempts.filter(d => d.sent_at).length}</td>
      <td class="r dim num opt-s">
        ${last.sent_at ? html`<${Ago} at=${last.sent_at} />` : whenOf(last)}
      </td>
    </tr>
    ${opened ? html`<${Opened} g=${g} hook=${hook} act=${act} busy=${busy} />` : null}
  `;
}

const Nothing = ({ hook }) => html`
  <${Empty} icon="send" title="No deliveries yet">
    <p>
      ${
        hook?.status === 'pending_verification'
          ? 'Send a test to activate this endpoint.'
          : 'Platen sends the next event of the chosen types immediately.'
      }
    </p>
  <//>
`;

// Deliveries are those of one subscription, or of all. The one that an address names is opened.
export function Deliveries({ list, hook, act, busy, one }) {
  const [status, pick] = useState('');
  const groups = groupsOf(list);
  const open = g => g.attempts.some(d => d.id === one);
  const named = groups.find(open);
  if (named) document.title = `${named.last.event_type} ${named.last.status} · Platen`;
  const shown = groups.filter((g, i) => open(g) || ((!status || g.last.status === status) && i < shownMost));
  const chip = s => {
    const n = groups.filter(g => g.last.status === s).length;
    if (!n) return null;
    return html`
      <button class="chip bare" aria-pressed=${status === s} onClick=${() => pick(status === s ? '' : s)}>
        ${s}
        <span class="n">${n}</span>
      </button>
    `;
  };
  return html`
    <section class="card">
      <div class="card-h">
        <h2>Deliveries</h2>
        <span class="dim hide-s">by event</span>
        <span class="grow" />
        <div class="chips">${states.map(chip)}</div>
      </div>
      ${
        list.length
          ? html`
            <${Table} label="Deliveries" head=${head}>
              ${shown.map(
                g => html`<${Group} key=${g.key} g=${g} one=${one} named=${!hook} act=${act} busy=${busy} />`,
              )}
            <//>
          `
          : html`<${Nothing} hook=${hook} />`
      }
    </section>
  `;
}
