// The lists of one system, and the record that was picked.
import { signal, useState } from '../vendor/preact.js';
import { html, Icon } from '../lib/html.js';
import { go } from '../lib/navigate.js';
import { keyFor } from '../lib/session.js';
import { call } from '../lib/api.js';
import * as store from '../lib/store.js';
import { day, money, number, words } from '../lib/format.js';
import { Ago, Code, Empty, EventType, FilterBox, Json, Problem, SkeletonRows, Status, Table, curl } from './parts.js';
import { lists } from './catalogue.js';

const query = signal('');
// heldMost is how many rows of a list the first state has at most.
const heldMost = 300;

const short = id => html`<code class="dim" title=${id}>${id.length > 18 ? `${id.slice(0, 12)}…` : id}</code>`;
const kinds = {
  code: v => html`<code>${v}</code>`,
  number: v => html`<span class="num">${number(v)}</span>`,
  money: v => html`<span class=${`num ${v < 0 ? 'c-red' : ''}`}>${money(v)}</span>`,
  day: v => html`<span class="num">${day(v)}</span>`,
  sim: v => html`<span class="num">${String(v).slice(5).replace('T', ' ')}</span>`,
  status: v => html`<${Status} is=${v} />`,
  words,
  ref: short,
  lines: v => number(v.length),
  yes: v => (v ? 'yes' : 'no'),
  fill: v => v,
};
const cell = (v, kind) =>
  v == null || v === '' ? html`<span class="dim">${'\u2013'}</span>` : (kinds[kind] ?? words)(v);
const right = kind => kind === 'number' || kind === 'money' || kind === 'lines';

const curlOf = (system, list, id) => curl(`/${system}/${list}${id ? `/${id}` : ''}`, system);

const Trail = ({ events }) => html`
  <h3>Events</h3>
  <ol class="trail">
    ${events.map(
      e => html`
        <li class=${e.system}>
          <i class="dot" />
          <${EventType} type=${e.type} />
          <span class="grow" />
          <span class="dim num">${day(e.sim_date)} · <${Ago} at=${e.created_at} /></span>
        </li>
      `,
    )}
  </ol>
`;

// useRecord is a record that is held here, or what the API says of an older one.
function useRecord({ system, list, resource, id }) {
  const held = store.row(resource, id);
  const [refusal, refuse] = useState(null);
  const [fetched, set] = useState(null);
  const record = held ?? fetched;
  if (!record && !refusal && store.loaded.value && fetched === null) {
    set(false); // asked once, with the key's budget
    call(`/v1/${system}/${list}/${id}`, { key: keyFor(system) }).then(r => set(r.data), refuse);
  }
  return { record, refusal };
}

// Detail is one record: its events, what it looks like on the wire, how to read it.
function Detail({ system, entry, id }) {
  const [list, resource, title] = entry;
  const { record, refusal } = useRecord({ system, list, resource, id });
  const events = store.events.value.filter(e => JSON.stringify(e.data).includes(id)).slice(0, 12);
  const body = () => {
    if (refusal) return html`<${Problem} refusal=${refusal} />`;
    if (!record) return html`<${SkeletonRows} rows=${5} widths=${['5rem', '70%']} />`;
    return html`
      ${events.length ? html`<${Trail} events=${events} />` : null}
      <h3>Record</h3>
      <${Json} value=${record} what="record" />
      <h3>Read it</h3>
      <${Code} text=${curlOf(system, list, id)} what="curl" />
    `;
  };
  return html`
    <aside class="card detail" aria-label=${`One of ${title}`}>
      <div class="card-h">
        <h2 class=${`c-${system}`}>${record?.number ?? record?.name ?? id}</h2>
        ${record?.status ? html`<${Status} is=${record.status} />` : null}
        <span class="grow" />
        <a class="btn plain small" href=${`/console/${system}/${list}`}>
          <${Icon} name="x" size=${14} label="Close" />
        </a>
      </div>
      <div class="pad detail-b">${body()}</div>
    </aside>
  `;
}

// useOlder gives the rows that are older than those the console holds: the API
// has them, page by page.
function useOlder({ system, list, resource }) {
  const [more, set] = useState([]);
  const [next, page] = useState('');
  const [refusal, refuse] = useState(null);
  const ask = async () => {
    const cursor = next ? `&cursor=${encodeURIComponent(next)}` : '';
    try {
      const { data } = await call(`/v1/${system}/${list}?limit=100${cursor}`, { key: keyFor(system) });
      set([...more, ...data.items.filter(r => !store.row(resource, r.id))]);
      page(data.next_cursor);
      refuse(null);
    } catch (e) {
      refuse(e);
    }
  };
  return { more, ask, refusal, over: next === null };
}

function Older({ ask, refusal, over }) {
  if (refusal) return html`<div class="pad older"><${Problem} refusal=${refusal} retry=${ask} /></div>`;
  if (over) return html`<div class="pad older"><p class="dim">That is all of them.</p></div>`;
  return html`
    <div class="pad older">
      <button class="btn small" onClick=${ask}>Older ones</button>
      <span class="dim">asked of the API with the key's own budget</span>
    </div>
  `;
}

// States are the chips that show the rows of one status only.
function States({ all, status, pick }) {
  const states = [...new Set(all.map(r => r.status).filter(Boolean))];
  if (states.length < 2) return null;
  return html`
    <div class="chips">
      ${states.map(
        s => html`
          <button class="chip bare" aria-pressed=${status === s} onClick=${() => pick(status === s ? '' : s)}>
            ${words(s)}
            <span class="n">${all.filter(r => r.status === s).length}</span>
          </button>
        `,
      )}
    </div>
  `;
}

const Row = ({ r, columns, picked, text, open }) => html`
  <tr
    data-row
    tabindex="0"
    class=${picked ? 'picked' : ''}
    aria-selected=${picked}
    data-curl=${text}
    onClick=${open}
  >
    ${columns.map(
      ([member, , kind]) => html`
        <td class=${right(kind) ? 'r' : kind === 'fill' ? 'wide' : ''}>${cell(r[member], kind)}</td>
      `,
    )}
  </tr>
`;

function Rows({ system, entry, id, all, shown }) {
  const [list, , title, columns, hint] = entry;
  if (!store.loaded.value) return html`<${SkeletonRows} rows=${8} />`;
  if (!shown.length)
    return html`
      <${Empty} icon="inbox" title=${all.length ? 'Nothing matches' : 'None yet'}>
        <p>${all.length ? 'Esc clears the filter.' : hint}</p>
        ${all.length ? null : html`<${Code} what="curl" text=${curlOf(system, list)} />`}
      <//>
    `;
  const open = r => go(`/console/${system}/${list}${r.id === id ? '' : `/${r.id}`}`);
  return html`
    <${Table} label=${title} head=${columns.map(([, heading, kind]) => [heading, right(kind) ? 'r' : ''])}>
      ${shown.map(r => {
        const text = curlOf(system, list, r.id);
        const picked = r.id === id;
        return html`
          <${Row} key=${r.id} r=${r} columns=${columns} picked=${picked} text=${text} open=${() => open(r)} />
        `;
      })}
    <//>
  `;
}

function List({ system, entry, id }) {
  const [list, resource, title] = entry;
  const all = store.rows(resource);
  const [status, pick] = useState('');
  const older = useOlder({ system, list, resource });
  const q = query.value.toLowerCase();
  const shown = [...all, ...older.more].filter(
    r => (!status || r.status === status) && (!q || JSON.stringify(r).toLowerCase().includes(q)),
  );
  const filter = text => {
    query.value = text;
  };
  return html`
    <section class="card">
      <div class="filters top-pad">
        <${FilterBox} label=${`Filter ${title.toLowerCase()}`} value=${query.value} onInput=${filter} />
        <${States} all=${all} status=${status} pick=${pick} />
      </div>
      <${Rows} system=${system} entry=${entry} id=${id} all=${all} shown=${shown} />
      ${all.length < heldMost ? null : html`<${Older} ...${older} />`}
    </section>
  `;
}

const systems = {
  office: ['Head Office', 'Orders, money, suppliers and pay. It does not see the records of the Factory.'],
  factory: ['Factory', 'Work, presses, stock and trucks. It knows no customer and no price.'],
};

const Lacking = ({ name }) => html`
  <div class="card">
    <${Empty} icon="key-round" title=${`This tab has no key of ${name}`}>
      <p>Neither key opens the other system. Add it to see these records.</p>
      <a class="btn" href="/console/session">Session</a>
    <//>
  </div>
`;

const Lists = ({ system, entry }) => html`
  <nav class="tabs" aria-label="Lists">
    ${lists[system].map(
      e => html`
        <a href=${`/console/${system}/${e[0]}`} aria-current=${e === entry ? 'page' : undefined}>
          ${e[2]}
          <span class="n num">${store.rows(e[1]).length || ''}</span>
        </a>
      `,
    )}
  </nav>
`;

export function Page({ system, rest: [slug, id] }) {
  const entry = lists[system].find(e => e[0] === slug) ?? lists[system][0];
  const [name, text] = systems[system];
  const head = html`<div class="title"><h1 class=${`c-${system}`}>${name}</h1><p>${text}</p></div>`;
  if (!keyFor(system)) return html`${head}<${Lacking} name=${name} />`;
  return html`
    ${head}
    <${Lists} system=${system} entry=${entry} />
    <div class=${id ? 'split' : ''}>
      <${List} key=${entry[0]} system=${system} entry=${entry} id=${id} />
      ${id ? html`<${Detail} key=${id} system=${system} entry=${entry} id=${id} />` : null}
    </div>
  `;
}
