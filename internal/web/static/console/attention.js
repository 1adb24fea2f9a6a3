// What needs somebody now, and the request that mends it.
import { useState } from '../vendor/preact.js';
import { html, Icon } from '../lib/html.js';
import { say } from '../lib/copy.js';
import { session } from '../lib/session.js';
import * as store from '../lib/store.js';
import * as attention from '../lib/attention.js';
import { compared, working } from '../lib/forks.js';
import { day, number, sentence } from '../lib/format.js';
import { useAsked } from './asked.js';
import { useWork } from './forks.js';
import { Code, Problem, Skeleton } from './parts.js';

// pause is the least time between two reads, in ms; few is how many items are shown at first.
const pause = 4000;
const few = 4;

function Records({ item }) {
  const { records, more } = attention.recordsOf(item);
  if (!records.length) return null;
  return html`
    <p class="trail">
      ${records.map(r => html`<a class=${`c-${r.system}`} href=${r.href}>${r.name}</a>`)}
      ${more > 0 ? html`<span class="dim">and ${number(more)} more</span>` : null}
    </p>
  `;
}

// Mend is the request that mends something: to be sent from here, or copied.
function Mend({ command, ask }) {
  const { refusal, work } = useWork();
  const [shown, show] = useState(false);
  const name = attention.nameOf(command);
  const busy = working.value === command.path;
  const mend = () =>
    work(command.path, async () => {
      await attention.send(command);
      say(`${name}: done`);
      await ask();
    });
  return html`
    <div class="mend">
      <div class="row-actions">
        ${
          attention.canSend(command) && !store.readOnly.value
            ? html`
              <button class="btn small" disabled=${!!working.value && !busy} aria-busy=${busy} onClick=${mend}>
                <${Icon} name="zap" size=${13} />${busy ? 'Sending…' : name}
              </button>
            `
            : html`<b>${name}</b>`
        }
        <button class="btn small" aria-expanded=${shown} onClick=${() => show(!shown)}>
          <${Icon} name="terminal" size=${13} />As a request<span class="vh"> that does: ${name}</span>
        </button>
      </div>
      ${shown ? html`<${Code} what=${name} text=${attention.curlOf(command)} />` : null}
      ${refusal ? html`<${Problem} refusal=${refusal} />` : null}
    </div>
  `;
}

const Item = ({ item, ask }) => html`
  <li>
    <p class="need-h">
      <b>${sentence(item.kind)}</b>
      ${
        item.cost_minor > 0
          ? html`<span class="pill warn num" title="What it costs until tomorrow evening">
              ${attention.costText(item)}<span class="vh"> at stake</span>
            </span>`
          : null
      }
    </p>
    <p>${item.message}</p>
    <${Records} item=${item} />
    ${item.command ? html`<${Mend} command=${item.command} ask=${ask} />` : null}
  </li>
`;

const Turn = ({ t }) => html`
  <li>
    <p class="need-h">
      <span class="dim num">${day(t.sim_date)}</span>
      ${t.seq == null ? null : html`<span class="dim num">event ${t.seq}</span>`}
    </p>
    <p>${t.message}</p>
  </li>
`;

function Items({ items, ask }) {
  const [all, show] = useState(false);
  if (!items.length)
    return html`<p class="pad calm-line"><${Icon} name="circle-check" size=${16} />Nothing needs you now.</p>`;
  const rest = items.length - few;
  return html`
    <ol class="needs">
      ${(all ? items : items.slice(0, few)).map(i => html`<${Item} key=${`${i.kind} ${i.records[0]?.id ?? i.message}`} item=${i} ask=${ask} />`)}
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

function Asked() {
  const { last_seq } = store.status.value;
  const stamp = `${last_seq} ${store.present.value.sim_date}`;
  const { data, refusal, ask } = useAsked('/console/data/attention', stamp, pause);
  if (!data && !refusal) return html`<div class="pad"><${Skeleton} width="60%" /></div>`;
  if (!data) return html`<div class="pad"><${Problem} refusal=${refusal} retry=${ask} /></div>`;
  if (data.history.length)
    return html`<ol class="needs">${data.history.map(t => html`<${Turn} key=${t.message} t=${t} />`)}</ol>`;
  return html`<${Items} items=${data.items} ask=${ask} />`;
}

// Attention is not there where players are compared: it would play for them.
export function Attention() {
  const s = store.status.value;
  if (compared.value) return null;
  return html`
    <section class="card attention" aria-labelledby="attention">
      <div class="card-h"><h2 id="attention">${s?.status === 'bankrupt' ? 'How it came to this' : 'Needs attention'}</h2></div>
      ${
        s && session.value
          ? html`<${Asked} key=${session.value.sandbox_id} />`
          : html`<div class="pad"><${Skeleton} width="60%" /></div>`
      }
    </section>
  `;
}
