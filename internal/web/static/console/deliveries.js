// Deliveries to subscriptions, and the answers to them.
import { useState } from '../vendor/preact.js';
import { html, Icon, say } from '../lib/html.js';
import { wallTime } from '../lib/format.js';
import { Ago, Empty, Http, Status, Table } from './parts.js';

const states = ['delivered', 'failed', 'pending', 'deferred', 'dropped'];
const head = () => [
  'Response',
  'Event',
  'Status',
  ['Try', 'r'],
  ['Latency', 'r'],
  ['When', 'r'],
  html`<span class="vh">Again</span>`,
];
const shownMost = 200;
const neverCame = 'Acknowledged in place of your receiver, which never got it.';

// repeatable are the deliveries that the API sends again when it is asked to.
const repeatable = (d, hook) =>
  hook?.status === 'active' && d.trigger !== 'test' && ['delivered', 'failed', 'dropped'].includes(d.status);

function Again({ d, act, busy }) {
  const path = `/v1/webhooks/${d.webhook_id}/deliveries/${d.id}/redeliver`;
  const send = () => act(d.id, path, { method: 'POST' }, () => say('Sent again'));
  return html`
    <button class="btn small" disabled=${!!busy} onClick=${send}><${Icon} name="rotate-cw" size=${12} />Again</button>
  `;
}

const Delivery = ({ d, hook, act, busy }) => html`
  <tr>
    <td>
      ${
        d.status_code || d.error_class
          ? html`<${Http} status=${d.status_code} code=${d.error_class} />`
          : html`<span class="dim">${'\u2013'}</span>`
      }
    </td>
    <td class="wide"><code>${d.event_type}</code></td>
    <td>
      <${Status} is=${d.status} />
      ${d.via ? html` <span class="dim" title=${neverCame}>by an ${d.via}</span>` : null}
    </td>
    <td class="r num">
      ${d.attempt}
      ${d.trigger === 'auto' ? '' : html` <span class="dim">${d.trigger}</span>`}
    </td>
    <td class="r num">${d.latency_ms == null ? '\u2013' : `${d.latency_ms} ms`}</td>
    <td class="r dim num">${d.sent_at ? html`<${Ago} at=${d.sent_at} />` : html`at ${wallTime(d.due_at)}`}</td>
    <td class="r">${repeatable(d, hook) ? html`<${Again} d=${d} act=${act} busy=${busy} />` : null}</td>
  </tr>
`;

const Nothing = ({ hook }) => html`
  <${Empty} icon="send" title="Nothing was sent yet">
    <p>
      ${
        hook?.status === 'pending_verification'
          ? 'Send a test ping; once your receiver responds with 2xx, events follow.'
          : 'The next event that this subscription wants is sent at once.'
      }
    </p>
  <//>
`;

export function Deliveries({ list, hook, act, busy }) {
  const [status, pick] = useState('');
  const shown = list.filter(d => !status || d.status === status).slice(0, shownMost);
  const chip = s => {
    const n = list.filter(d => d.status === s).length;
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
      <div class="card-h"><h2>Deliveries</h2><span class="grow" /><div class="chips">${states.map(chip)}</div></div>
      ${
        list.length
          ? html`
            <${Table} label="Deliveries" head=${head()}>
              ${shown.map(d => html`<${Delivery} key=${d.id} d=${d} hook=${hook} act=${act} busy=${busy} />`)}
            <//>
          `
          : html`<${Nothing} hook=${hook} />`
      }
    </section>
  `;
}
