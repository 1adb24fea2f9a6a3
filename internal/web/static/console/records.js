// The lists of one system, and the record that was picked.
import { signal, useState } from '../vendor/preact.js';
import { html, Icon } from '../lib/html.js';
import { go } from '../lib/navigate.js';
import { keyFor } from '../lib/session.js';
import { call } from '../lib/api.js';
import * as store from '../lib/store.js';
import { day, money, number, words } from '../lib/format.js';
import { Ago, Code, Empty, EventType, FilterBox, Json, Problem, SkeletonRows, Status, curl } from './parts.js';
import { lists } from './catalogue.js';

const query = signal('');

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

// Detail is one record: its events, what it looks like on the wire, how to read it.
function Detail({ system, entry, id }) {
  const [list, resource, title] = entry;
  const record = store.row(resource, id);
  const [refusal, refuse] = useState(null);
  const [fetched, set] = useState(null);
  const shown = record ?? fetched;
  if (!shown && !refusal && store.loaded.value && fetched === null) {
    set(false); // older than what is held here: ask the API, with the key's budget
    call(`/v1/${system}/${list}/${id}`, { key: keyFor(system) }).then(r => set(r.data), refuse);
  }
  const events = store.events.value.filter(e => JSON.stringify(e.data).includes(id)).slice(0, 12);
  return html`
    <aside class="card detail" aria-label=${`One of ${title}`}>
      <div class="card-h">
        <h2 class=${`c-${system}`}>${shown?.number ?? shown?.name ?? id}</h2>
        ${shown?.status ? html`<${Status} is=${shown.status} />` : null}
        <span class="grow" />
        <a class="btn plain small" href=${`/console/${system}/${list}`}>
          <${Icon} name="x" size=${14} label="Close" />
        </a>
      </div>
      <div class="pad detail-b">
        ${
          refusal
            ? html`<${Problem} refusal=${refusal} />`
            : !shown
              ? html`<${SkeletonRows} rows=${5} widths=${['5rem', '70%']} />`
              : html`
                ${
                  events.length
                    ? html`
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
                    `
                    : null
                }
                <h3>Record</h3>
                <${Json} value=${shown} what="record" />
                <h3>Read it</h3>
                <${Code} text=${curlOf(system, list, id)} what="curl" />
              `
        }
      </div>
    </aside>
  `;
}

// Older rows than the console holds are the API's to give, page by page.
function useOlder({ system, list, resource, have }) {
  const [more, set] = useState([]);
  const [next, page] = useState('');
  const [refusal, refuse] = useState(null);
  const ask = async () => {
    try {
      const at = next || '';
      const { data } = await call(`/v1/${system}/${list}?limit=100${at ? `&cursor=${encodeURIComponent(at)}` : ''}`, {
        key: keyFor(system),
      });
      set([...more, ...data.items.filter(r => !store.row(resource, r.id))]);
      page(data.next_cursor);
      refuse(null);
    } catch (e) {
      refuse(e);
    }
  };
  return {
    more,
    foot:
      have < 300
        ? null
        : html`
          <div class="pad older">
            ${
              refusal
                ? html`<${Problem} refusal=${refusal} retry=${ask} />`
                : next === null
                  ? html`<p class="dim">That is all of them.</p>`
                  : html`
                    <button class="btn small" onClick=${ask}>Older ones</button>
                    <span class="dim">asked of the API with the key's own budget</span>
                  `
            }
          </div>
        `,
  };
}

function List({ system, entry, id }) {
  const [list, resource, , columns, hint] = entry;
  const all = store.rows(resource);
  const [status, pick] = useState('');
  const older = useOlder({ system, list, resource, have: all.length });
  const states = [...new Set(all.map(r => r.status).filter(Boolean))];
  const q = query.value.toLowerCase();
  const shown = [...all, ...older.more].filter(
    r => (!status || r.status === status) && (!q || JSON.stringify(r).toLowerCase().includes(q)),
  );
  const open = r => go(`/console/${system}/${list}${r.id === id ? '' : `/${r.id}`}`);
  return html`
    <section class="card">
      <div class="filters top-pad">
        <${FilterBox}
          label=${`Filter ${entry[2].toLowerCase()}`}
          value=${query.value}
          onInput=${t => {
            query.value = t;
          }}
        />
        ${
          states.length > 1
            ? html`
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
            `
            : null
        }
      </div>
      ${
        !store.loaded.value
          ? html`<${SkeletonRows} rows=${8} />`
          : !shown.length
            ? html`
              <${Empty} icon="inbox" title=${all.length ? 'Nothing matches' : 'None yet'}>
                <p>${all.length ? 'Esc clears the filter.' : hint}</p>
                ${all.length ? null : html`<${Code} what="curl" text=${curlOf(system, list)} />`}
              <//>
            `
            : html`
              <div class="scroll" tabindex="0" role="region" aria-label=${entry[2]}>
                <table class="tbl">
                  <thead>
                    <tr>
                      ${columns.map(
                        ([, heading, kind]) => html`<th class=${right(kind) ? 'r' : ''} scope="col">${heading}</th>`,
                      )}
                    </tr>
                  </thead>
                  <tbody>
                    ${shown.map(
                      r => html`
                        <tr
                          key=${r.id}
                          data-row
                          tabindex="0"
                          class=${r.id === id ? 'picked' : ''}
                          aria-selected=${r.id === id}
                          data-curl=${curlOf(system, list, r.id)}
                          onClick=${() => open(r)}
                        >
                          ${columns.map(
                            ([member, , kind]) => html`
                              <td class=${right(kind) ? 'r' : kind === 'fill' ? 'wide' : ''}>
                                ${cell(r[member], kind)}
                              </td>
                            `,
                          )}
                        </tr>
                      `,
                    )}
                  </tbody>
                </table>
              </div>
            `
      }
      ${older.foot}
    </section>
  `;
}

export function Page({ system, rest }) {
  const entry = lists[system].find(e => e[0] === rest[0]) ?? lists[system][0];
  const id = rest[1];
  const name = system === 'office' ? 'Head Office' : 'Factory';
  const head = html`
    <div class="title">
      <h1 class=${`c-${system}`}>${name}</h1>
      <p>
        ${
          system === 'office'
            ? 'Orders, money, suppliers and pay. It does not see what happens at the Factory.'
            : 'Work, presses, stock and trucks. It knows no customer and no price.'
        }
      </p>
    </div>
  `;
  if (!keyFor(system))
    return html`
      ${head}
      <div class="card">
        <${Empty} icon="key-round" title=${`This tab has no key of ${name}`}>
          <p>Neither key opens the other system. Add it to see these records.</p>
          <a class="btn" href="/console/session">Session</a>
        <//>
      </div>
    `;
  return html`
    ${head}
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
    <div class=${id ? 'split' : ''}>
      <${List} key=${entry[0]} system=${system} entry=${entry} id=${id} />
      ${id ? html`<${Detail} key=${id} system=${system} entry=${entry} id=${id} />` : null}
    </div>
  `;
}
