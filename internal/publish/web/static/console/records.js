// The lists of one system, and the record that was picked.
import { signal, useEffect, useLayoutEffect, useRef, useState } from '../vendor/preact.js';
import { html, Icon } from '../lib/html.js';
import { go, nameFor, places, takeShown } from '../lib/navigate.js';
import { keyFor, reviewing } from '../lib/session.js';
import { call } from '../lib/api.js';
import * as store from '../lib/store.js';
import { bearer, day, money, number, sentence, signed, words } from '../lib/format.js';
import { Code, Day, Empty, FilterBox, Problem, Ref, SkeletonRows, Status, Table, curl, dueDates } from './parts.js';
import { isLate } from './parts.js';
import { groups, lists } from './catalogue.js';
import { Record } from './record.js';

const query = signal('');
// wantedList is the text in the search field for lists.
const wantedList = signal('');
// heldMost is how many rows of a list the first state has at most.
const heldMost = 300;
// pagesMost is how many pages of older rows one search reads.
const pagesMost = 10;

// goodsOf are the goods in the lines of a record.
const goodsOf = lines => {
  const [line] = lines;
  const n = line.quantity ?? line.quantity_accepted ?? line.quantity_advised;
  const name = store.rows('stock_item').find(i => i.sku === line.sku)?.name ?? line.sku;
  return `${number(n)} × ${name}${lines.length > 1 ? ` and ${lines.length - 1} more` : ''}`;
};

// waits reports whether a record is a truck that waits for too long.
const waits = r => isLate(r, 'arrived_on', store.present.value?.sim_date);

const kinds = {
  code: v => html`<code>${v}</code>`,
  number: v => html`<span class="num">${number(v)}</span>`,
  money: v => html`<span class=${`num ${v < 0 ? 'c-red' : ''}`}>${money(v)}</span>`,
  day: (_, name, __, r) => html`<${Day} r=${r} name=${name} />`,
  stock: (v, _, __, r) =>
    html`<span class=${`num ${v === 0 && r.reorder_point > 0 ? 'c-red' : ''}`}>${number(v)}</span>`,
  sim: v => html`<span class="num">${day(v.slice(0, 10))}, ${v.slice(11, 16)}</span>`,
  status: (v, _, __, r, resource) => html`<${Status} is=${v} of=${resource} late=${waits(r)} />`,
  words,
  party: (v, name, system) => html`<${Ref} field=${name} id=${v} system=${system} />`,
  ref: (v, name, system) => html`<${Ref} field=${String(name)} id=${v} system=${system} />`,
  lines: v => (v.length ? goodsOf(v) : ''),
  count: v => number(v.length),
  yes: v => (v ? 'yes' : 'no'),
  fill: v => v,
  on: v => html`<span class="num">${day(v)}</span>`,
  effect: (v, _, __, r) => html`<span class="effect">${v}<span>${r.title}</span></span>`,
};
const cell = (r, [member, , kind], system, resource) => {
  const v = typeof member === 'function' ? member(r) : r[member];
  if (v == null || v === '') return html`<span class="dim">${'\u2013'}</span>`;
  return (kinds[kind] ?? words)(v, member, system, r, resource);
};
const right = kind => ['number', 'stock', 'money', 'count'].includes(kind);

// pathOf is the path of the API below which a list is.
const pathOf = (system, list) => {
  const page = `${system}/${list}`;
  return places.find(p => p[0] === page)?.[3] ?? page;
};
const curlOf = (system, list, id) => curl(`/${pathOf(system, list)}${id ? `/${id}` : ''}`, system);

// aDay moves the clock by a working day: a list that has nothing yet lacks time.
const aDay = () => `curl -s -X POST ${location.origin}/v1/sandbox/tick ${bearer('office')} --json '{"minutes":480}'`;

// useOlder gives the rows that are older than those the console holds: the API
// has them, page by page.
function useOlder({ system, list, resource }) {
  const [more, set] = useState([]);
  const [next, page] = useState('');
  const [refusal, refuse] = useState(null);
  const [busy, work] = useState(false);
  const control = useRef();
  const stop = () => control.current?.abort();
  useEffect(() => stop, []);
  const ask = async (pages = 1) => {
    control.current = new AbortController();
    const { signal } = control.current;
    let [found, at] = [more, next];
    work(true);
    refuse(null);
    try {
      for (let n = 0; n < pages && at !== null && !signal.aborted; n++) {
        const cursor = at ? `&cursor=${encodeURIComponent(at)}` : '';
        const { data } = await call(`/v1/${pathOf(system, list)}?limit=100${cursor}`, { key: keyFor(system), signal });
        found = [...found, ...data.items.filter(r => !store.row(resource, r.id))];
        at = data.next_cursor;
        set(found);
        page(at);
      }
    } catch (e) {
      if (!signal.aborted) refuse(e);
    }
    work(false);
  };
  return { more, ask, stop, busy, refusal, over: next === null };
}

// Older reads older rows: a page, or while a filter has a text several, to search them.
function Older({ ask, stop, busy, refusal, over, filtered }) {
  const more = () => ask(filtered ? pagesMost : 1);
  if (refusal) return html`<div class="pad older"><${Problem} refusal=${refusal} retry=${more} /></div>`;
  if (over) return html`<div class="pad older"><p class="dim">End of the list.</p></div>`;
  if (reviewing())
    return html`<div class="pad older"><p class="dim">A reviewer sees the newest ${number(heldMost)}.</p></div>`;
  return html`
    <div class="pad older">
      <button class="btn small" onClick=${busy ? stop : more}>
        ${busy ? 'Stop' : filtered ? 'Search older ones' : 'Older ones'}
      </button>
      <span class="dim">counts towards your rate limit</span>
    </div>
  `;
}

// stateOf is the status of a row, or its kind where it has none.
const stateOf = r => r.status ?? r.kind;

// States are the chips that show the rows of one status or kind only.
function States({ all, status, pick }) {
  const states = [...new Set(all.map(stateOf).filter(Boolean))];
  if (states.length < 2) return null;
  return html`
    <div class="chips">
      ${states.map(
        s => html`
          <button class="chip bare" aria-pressed=${status === s} onClick=${() => pick(status === s ? '' : s)}>
            ${words(s)}
            <span class="n">${all.filter(r => stateOf(r) === s).length}</span>
          </button>
        `,
      )}
    </div>
  `;
}

// fills are the kinds of the columns that say what a record is about.
const fills = ['fill', 'party', 'lines'];

// briefOf are the columns that stay beside an open record: its name, what it is about, its state.
function briefOf(columns) {
  const fill = columns.find(([, , kind], i) => i > 0 && fills.includes(kind));
  const state =
    columns.findLast(([, , kind]) => kind === 'status') ?? columns.find(([, , , main]) => main) ?? columns.at(-1);
  return columns.filter((c, i) => i === 0 || c === fill || c === state);
}

// rank is how early a column goes where there is no room for all: the name, the state and main ones never.
function rank(columns, c) {
  if (briefOf(columns).includes(c)) return fills.includes(c[2]) ? 'wide' : '';
  if (c[3]) return '';
  return c[2] === 'money' || c[2] === 'day' ? 'opt-s' : 'opt';
}

// Until is the day by which something must have happened, under a record's name where its column has no room.
const Until = ({ columns, r }) => {
  const due = columns.find(([member]) => dueDates.includes(member));
  return due && r[due[0]] ? html`<span class="until">${due[1]} <${Day} r=${r} name=${due[0]} /></span>` : null;
};

// untilAt is the column with that day: the one that says what a record is about.
const untilAt = columns =>
  Math.max(
    0,
    columns.findIndex(c => fills.includes(c[2])),
  );

const classOf = (columns, c) => `${rank(columns, c)} ${right(c[2]) ? 'r' : ''}`;

// intoView brings the row of an open record among those that are seen.
const intoView = row => row?.scrollIntoView({ block: 'nearest' });

// Filling is the way to fill an empty list: a request that creates a record, or time.
const Filling = ({ operation }) =>
  operation
    ? html`<a class="btn small" href=${`/docs/api/${operation}`}>See the request</a>`
    : html`
      <p>Move the clock by a working day:</p>
      <${Code} what="move the clock by a day" text=${aDay()} />
    `;

const Row = ({ r, system, resource, columns, all, picked, text, open }) => html`
  <tr
    data-row
    ref=${picked ? intoView : undefined}
    tabindex="0"
    class=${picked ? 'picked' : ''}
    aria-selected=${picked}
    data-curl=${text}
    onClick=${e => e.target.closest('a') || open()}
  >
    ${columns.map(
      (c, i) => html`
        <td class=${classOf(all, c)}>
          ${cell(r, c, system, resource)}${i === untilAt(columns) ? html`<${Until} columns=${all} r=${r} />` : null}
        </td>
      `,
    )}
  </tr>
`;

// absence says that nothing was found among so many rows, which may not be all.
const absence = (title, { some, read }) =>
  some ? `Nothing among the newest ${number(read)} ${title.toLowerCase()}` : 'Nothing matches';

function Rows({ system, entry, id, all, shown, part }) {
  const [list, resource, title, columns, hint, operation] = entry;
  if (!store.loaded.value) return html`<${SkeletonRows} rows=${8} />`;
  if (!shown.length)
    return html`
      <${Empty} icon="inbox" title=${all.length ? absence(title, part) : 'None yet'}>
        <p>${all.length ? 'Esc clears the filter.' : hint}</p>
        ${all.length || store.readOnly.value ? null : html`<${Filling} operation=${operation} />`}
      <//>
    `;
  const open = r => go(`/console/${system}/${list}${r.id === id ? '' : `/${r.id}`}`);
  const kept = id ? briefOf(columns) : columns;
  return html`
    <${Table} label=${title} head=${kept.map(c => [c[1], classOf(columns, c)])}>
      ${shown.map(r => {
        const text = curlOf(system, list, r.id);
        const picked = !!id && (r.id === id || r.number === id);
        return html`
          <${Row}
            key=${r.id}
            r=${r}
            system=${system}
            resource=${resource}
            columns=${kept}
            all=${columns}
            picked=${picked}
            text=${text}
            open=${() => open(r)}
          />
        `;
      })}
    <//>
  `;
}

// Total is the sum of the entries that are shown.
const Total = ({ rows }) => html`
  <p class="pad dim" id="total">
    ${number(rows.length)} ${rows.length === 1 ? 'entry' : 'entries'}, total${' '}
    <b class="num">${signed(rows.reduce((n, e) => n + e.amount_minor, 0))}</b>
  </p>
`;

function List({ system, entry, id }) {
  const [list, resource, title] = entry;
  const all = store.rows(resource);
  const [status, pick] = useState(takeShown);
  const older = useOlder({ system, list, resource });
  const q = query.value.toLowerCase();
  const shown = [...all, ...older.more].filter(
    r => (!status || stateOf(r) === status) && (!q || JSON.stringify(r).toLowerCase().includes(q)),
  );
  const part = { some: all.length >= heldMost && !older.over, read: all.length + older.more.length };
  const filter = text => {
    query.value = text;
  };
  return html`
    <section class="card">
      <div class="filters top-pad">
        <${FilterBox} label=${`Filter ${title.toLowerCase()}`} value=${query.value} onInput=${filter} />
        <${States} all=${all} status=${status} pick=${pick} />
      </div>
      ${list === 'ledger' ? html`<${Total} rows=${shown} />` : null}
      <${Rows} system=${system} entry=${entry} id=${id} all=${all} shown=${shown} part=${part} />
      ${all.length < heldMost ? null : html`<${Older} ...${older} filtered=${!!q} />`}
    </section>
  `;
}

const systems = {
  office: ['Head Office', 'Orders, money, suppliers and pay. It cannot read Factory records.'],
  factory: [
    'Factory',
    'Work, presses, stock and trucks. Its API returns no customers or prices: the names come from Head Office.',
  ],
  world: [
    'World',
    html`Stories, major orders and achievements. Either key reads them, and the${' '}
      <a href="/console/checkpoints">checkpoints</a>.`,
  ],
};

const Lacking = ({ name }) => html`
  <div class="card">
    <${Empty} icon="key-round" title=${`This tab has no key of ${name}`}>
      <p>Each key opens one system. Add this key to see these records.</p>
      <a class="btn" href="/console/session">Session</a>
    <//>
  </div>
`;

// inSight brings the list that is shown among those that there is room for.
const inSight = tab => {
  const row = tab?.parentElement;
  if (row) row.scrollLeft = tab.offsetLeft - (row.clientWidth - tab.offsetWidth) / 2;
};

// groupOf is the group that a list is in, '' where there are none.
const groupOf = (system, list) =>
  Object.entries(groups[system] ?? {}).find(([, all]) => all.split(' ').includes(list))?.[0] ?? '';

// Groups choose among the groups of a system's lists, and find a list in all of them.
function Groups({ system, entry, open }) {
  if (!groups[system]) return null;
  const filter = e => {
    wantedList.value = e.target.value;
  };
  const leave = e => {
    if (e.key !== 'Escape') return;
    e.preventDefault();
    wantedList.value = '';
  };
  return html`
 <div class=${`groups ${open ? 'of-record' : ''}`}>
      <nav class="seg" aria-label="Groups of lists">
        ${Object.entries(groups[system]).map(
          ([name, all]) => html`
            <a
              href=${`/console/${system}/${all.split(' ')[0]}`}
              aria-current=${groupOf(system, entry[0]) === name ? 'true' : undefined}
            >
              ${name}
            </a>
          `,
        )}
      </nav>
      <label class="find">
        <${Icon} name="search" size=${14} />
        <span class="vh">Find a list</span>
        <input
          name="list"
          autocomplete="off"
          spellcheck="false"
          placeholder="Find a list"
          value=${wantedList.value}
          onInput=${filter}
          onKeyDown=${leave}
        />
      </label>
    </div>
  `;
}

// shownLists are those of the group of a list, or those that were asked for.
export const shownLists = (system, entry, wanted) =>
  lists[system].filter(e =>
    wanted ? e[2].toLowerCase().includes(wanted) : groupOf(system, e[0]) === groupOf(system, entry[0]),
  );

function Lists({ system, entry, open }) {
  const shown = shownLists(system, entry, wantedList.value.trim().toLowerCase());
  return html`
    <${Groups} system=${system} entry=${entry} open=${open} />
    <nav class=${`tabs ${open ? 'of-record' : ''}`} aria-label="Lists">
      ${shown.map(
        e => html`
          <a
            key=${`${e[0]} ${e === entry}`}
            href=${`/console/${system}/${e[0]}`}
            aria-current=${e === entry ? 'page' : undefined}
            ref=${e === entry ? inSight : undefined}
          >
            ${e[2]}
            <span class="n num">${store.rows(e[1]).length || ''}</span>
          </a>
        `,
      )}
      ${shown.length ? null : html`<p class="dim">No list has this name.</p>`}
    </nav>
  `;
}

export function Page({ system, rest: [slug, id] }) {
  const entry = lists[system].find(e => e[0] === slug) ?? lists[system][0];
  const [name, text] = systems[system];
  const head = html`<div class="title"><h1 class=${`c-${system}`}>${name}</h1><p>${text}</p></div>`;
  useLayoutEffect(() => {
    wantedList.value = '';
  }, [system, slug]);
  if (!keyFor(system)) return html`${head}<${Lacking} name=${name} />`;
  const [list, resource, title] = entry;
  const row = id && store.row(resource, id);
  document.title = `${row ? sentence(nameFor(resource, row)) : (id ?? title)} · Platen`;
  const about = { system, resource, title, path: pathOf(system, list), list: `/console/${system}/${list}` };
  return html`
    <div class=${id ? 'of-record' : ''}>${head}</div>
    <${Lists} system=${system} entry=${entry} open=${!!id} />
    <div class=${id ? 'split' : ''}>
      <${List} key=${entry[0]} system=${system} entry=${entry} id=${id} />
      ${id ? html`<${Record} key=${id} ...${about} id=${id} />` : null}
    </div>
  `;
}
