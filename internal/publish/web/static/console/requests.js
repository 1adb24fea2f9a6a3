// Requests of the sandbox's clients: the refused ones together, and each call.
import { signal } from '../vendor/preact.js';
import { html, Icon, download, say } from '../lib/html.js';
import { go, nameOf, pageOfPath } from '../lib/navigate.js';
import { keyFor, reviewing } from '../lib/session.js';
import { kindOf } from '../lib/faults.js';
import * as store from '../lib/store.js';
import { curlOf, isWhole, number, wallTime, words } from '../lib/format.js';
import { Ago, Code, Empty, FilterBox, Hold, Http, Json, Seen, SkeletonRows, Table } from './parts.js';
import { Share, curl, useAsked, useHeld, useSeen } from './parts.js';
import { archiveText } from './archive.js';
import { Repair } from './repair.js';

const query = signal('');
const only = signal('');
const classes = [
  ['', 'All'],
  ['2', '2xx'],
  ['4', '4xx'],
  ['5', '5xx'],
];
const shownMost = 300;

// keptMost is how many requests the server keeps, in its memory.
const keptMost = 500;

// pause is the least time between two reads of one request, in ms.
const pause = 1000;

// groupsOf counts refusals by their code, and keeps the routes that they came from.
function groupsOf(calls) {
  const groups = new Map();
  for (const r of calls) {
    if (!r.error_code) continue;
    const g = groups.get(r.error_code) ?? { code: r.error_code, status: r.status, n: 0, routes: new Set() };
    g.n++;
    g.routes.add(`${r.method} ${r.path.replace(/\/[a-z]+_[0-9a-z]{13}/g, '/{id}')}`);
    groups.set(r.error_code, g);
  }
  return [...groups.values()].sort((a, b) => b.n - a.n);
}

function Group({ g }) {
  const others = g.routes.size - 2;
  const filter = () => {
    query.value = g.code;
  };
  return html`
    <li>
      <${Http} status=${g.status} />
      <div>
        <button class="as-text" onClick=${filter}><code>${g.code}</code></button>
        <p class="dim">${[...g.routes].slice(0, 2).join(', ')}${others > 0 ? ` and ${others} more` : ''}</p>
      </div>
      <span class="grow" />
      <b class="num">${number(g.n)}</b>
      <a class="dim" href=${`/docs/errors/${g.code}`}>what to do</a>
    </li>
  `;
}

const Refusals = ({ list }) => html`
  <section class="card errors">
    <div class="card-h">
      <h2>Errors</h2>
      <span class="pill warn">${list.reduce((n, g) => n + g.n, 0)}</span>
    </div>
    <ul class="groups">${list.map(g => html`<${Group} key=${g.code} g=${g} />`)}</ul>
  </section>
`;

// share is a part in percent; a small one is not none.
const share = part => (part > 0 && part < 0.005 ? 'under 1 %' : `${Math.round(100 * part)} %`);

function Figures({ calls }) {
  const times = calls.map(r => r.duration_ms).sort((a, b) => a - b);
  const at = q => (times.length ? times[Math.min(times.length - 1, Math.floor(q * times.length))] : null);
  const failed = calls.filter(r => r.status >= 400).length;
  const replays = calls.filter(r => r.idempotent_replay).length;
  const struck = calls.filter(r => r.faults?.length).length;
  const tiles = [
    ['Requests', number(calls.length), calls.length < keptMost ? 'since the server started' : `the newest ${keptMost}`],
    ['Failed', calls.length ? share(failed / calls.length) : '\u2013', `${failed} of them`],
    [
      'Median',
      at(0.5) == null ? '\u2013' : `${at(0.5)} ms`,
      calls.length < 20
        ? calls.length
          ? `slowest: ${at(1)} ms`
          : 'of all responses'
        : `slowest of 20: ${at(0.95)} ms`,
    ],
    struck
      ? ['Faults', number(struck), `${struck === 1 ? 'request' : 'requests'} hit; ${number(replays)} replayed`]
      : ['Replayed', number(replays), 'by an Idempotency-Key'],
  ];
  return html`
    <section class="tiles four" aria-label="Figures">
      ${tiles.map(
        ([name, value, more]) => html`
          <div class="tile">
            <span class="tile-n">${name}</span>
            <span class="tile-v num">${value}</span>
            <span class="tile-s">${more}</span>
          </div>
        `,
      )}
    </section>
  `;
}

// Body is a body that was sent or received, as far as it is kept.
function Body({ title, text, bytes, system }) {
  if (text == null) return null;
  const cut = !isWhole(text, bytes);
  const json = cut ? undefined : parsed(text);
  return html`
    <h3 class="body-h">
      ${title}${cut ? html` <span class="dim">the beginning of ${number(bytes)} bytes</span>` : null}
    </h3>
    ${
      json === undefined
        ? html`<${Code} what=${title} text=${text} />`
        : html`<${Json} what=${title} value=${json} system=${system} />`
    }
  `;
}

const parsed = text => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

// Failed says what went wrong, in the words of the response.
function Failed({ error }) {
  if (!error) return null;
  return html`
    <div class="problem warn">
      <${Icon} name="triangle-alert" />
      <div>
        <b>${error.message}</b>
        ${error.hint ? html`<p>${error.hint}</p>` : null}
      </div>
    </div>
  `;
}

// Wire shows both bodies, for a tab that has the key of the request.
function Wire({ r }) {
  const { data } = useAsked(`/v1/requests/${r.id}`, r.id, pause, keyFor(r.system));
  const error = data?.response_body ? parsed(data.response_body)?.error : null;
  const command = curlOf(r, data);
  return html`
    <${Failed} error=${error} />
    ${error ? html`<${Repair} r=${r} sent=${data} error=${error} />` : null}
    ${command ? html`<${Code} what="curl" text=${command} />` : null}
    <${Body} title="Sent" text=${data?.request_body} bytes=${data?.request_bytes} system=${r.system} />
    <${Body} title="Received" text=${data?.response_body} bytes=${data?.response_bytes} system=${r.system} />
    ${
      data && data.response_bytes == null
        ? html`<p class="dim">The bodies of this request are not kept any more, or were sent with another key.</p>`
        : null
    }
  `;
}

// About is the record or the list that a request was about.
function About({ path }) {
  const page = pageOfPath(path);
  if (!page) return null;
  const id = page.split('/').find(part => /_|-\d/.test(part));
  const name = id ? (nameOf(id) ?? id) : page.split('/').at(-1).replaceAll('-', ' ');
  return html`
    <div>
      <dt>About</dt>
      <dd><a class="ref-link" href=${page}>${name}</a></dd>
    </div>
  `;
}

// eventsMost is how many events of a request are named.
const eventsMost = 3;

// caused are the events that a request wrote, those about missions last.
function caused(r) {
  if (r.first_seq == null) return [];
  const about = e => e.type.startsWith('sandbox.mission.');
  return store.events.value
    .filter(e => r.first_seq <= e.seq && e.seq <= r.last_seq)
    .reverse()
    .sort((a, b) => about(a) - about(b));
}

function Caused({ events }) {
  if (!events.length) return null;
  const more = events.length - eventsMost;
  return html`
    <div>
      <dt>Events</dt>
      <dd>
        ${events
          .slice(0, eventsMost)
          .map(e => html`<a class="ref-link" href=${`/console/events/${e.id}`}>${e.type}</a> `)}
        ${more > 0 ? html`<span class="dim">and ${number(more)} more</span>` : null}
      </dd>
    </div>
  `;
}

// Struck says what a client saw of a request with an injected fault, and what it does about it.
function Struck({ kind, r, events }) {
  const known = kindOf(kind);
  if (!known) return null;
  const lost = kind === 'response_lost';
  return html`
    <div class="problem warn struck">
      <${Icon} name="zap" />
      <div>
        <b>${known.summary}</b>
        ${
          lost
            ? html`<p>The server responded with ${r.status}${events.length ? ', and the request took effect' : ''}.</p>`
            : null
        }
        <p>Your client saw: ${known.looks}</p>
        <p>${known.rule}</p>
      </div>
    </div>
  `;
}

// Opened is the rest of a call, under its row.
function Opened({ r }) {
  const events = caused(r);
  return html`
  <tr class="under">
    <td colspan="6">
      <dl class="facts">
        <div><dt>Request</dt><dd><code>${r.id}</code></dd></div>
        <div><dt>At</dt><dd class="num">${wallTime(r.created_at)}</dd></div>
        ${r.status === 404 ? null : html`<${About} path=${r.path} />`}
        <div><dt>Key</dt><dd>${r.system === 'office' ? 'Head Office' : 'Factory'}</dd></div>
        ${
          r.faults?.length
            ? html`
              <div>
                <dt>Injected fault</dt>
                <dd><a class="ref-link" href="/console/session">${r.faults.map(words).join(', ')}</a></dd>
              </div>
            `
            : null
        }
        ${
          r.repeated_after_ms == null
            ? null
            : html`<div><dt>Repeated after</dt><dd class="num">${number(r.repeated_after_ms)} ms</dd></div>`
        }
        <${Caused} events=${events} />
        ${
          r.error_code
            ? html`
              <div>
                <dt>Error</dt>
                <dd><a href=${`/docs/errors/${r.error_code}`}><code>${r.error_code}</code></a></dd>
              </div>
            `
            : null
        }
      </dl>
      <div class="row-actions"><${Share} path=${pageFor(r.id)} what="this request" /></div>
      ${(r.faults ?? []).map(kind => html`<${Struck} key=${kind} kind=${kind} r=${r} events=${events} />`)}
      ${keyFor(r.system) && !reviewing() ? html`<${Wire} r=${r} />` : html`<${Code} what="curl" text=${curlOf(r)} />`}
    </td>
  </tr>
`;
}

function Outcome({ r }) {
  return html`
    ${(r.faults ?? []).map(kind => html`<span class="pill warn" title="Injected fault">${words(kind)}</span> `)}
    ${r.error_code ? html`<code class="c-amber">${r.error_code}</code>` : null}
    ${r.idempotent_replay ? html`<span class="pill calm">replay</span>` : null}
  `;
}

const pageFor = id => `/console/requests${id ? `/${id}` : ''}`;

// Call is a row, whose address opens it.
function Call({ r, open }) {
  const row = useSeen(open);
  return html`
    <tr
      data-row
      ref=${row}
      tabindex="0"
      class=${open ? 'picked' : ''}
      data-curl=${curlOf(r)}
      onClick=${() => go(pageFor(open ? '' : r.id), true)}
    >
      <td><${Seen} r=${r} /></td>
      <td><i class=${`dot ${r.system}`} title=${r.system} /><span class="vh">${r.system}</span></td>
      <td class="fill"><span class="verb">${r.method}</span> <code>${r.path}</code></td>
      <td class="hide-s"><${Outcome} r=${r} /></td>
      <td class="r dim num hide-s">${r.duration_ms} ms</td>
      <td class="r dim num"><${Ago} at=${r.created_at} /></td>
    </tr>
    ${open ? html`<${Opened} r=${r} />` : null}
  `;
}

function Calls({ calls, shown, one }) {
  if (!store.loaded.value) return html`<${SkeletonRows} rows=${8} />`;
  if (!shown.length)
    return html`
      <${Empty} icon="send" title=${calls.length ? 'Nothing matches' : 'No requests yet'}>
        <p>
          ${
            calls.length
              ? `Esc clears the filter. Only the newest ${keptMost} requests are kept.`
              : 'No requests since the server started. Send one:'
          }
        </p>
        ${calls.length ? null : html`<${Code} what="curl" text=${curl('/office/sales-orders')} />`}
      <//>
    `;
  return html`
    <${Table} label="Requests">
      ${shown.map(r => html`<${Call} key=${r.id} r=${r} open=${r.id === one} />`)}
    <//>
  `;
}

function Filters() {
  const filter = text => {
    query.value = text;
  };
  const pick = status => {
    only.value = status;
  };
  return html`
    <div class="filters">
      <${FilterBox} label="Filter requests" value=${query.value} onInput=${filter} />
      <div class="chips">
        ${classes.map(
          ([c, name]) => html`
            <button class="chip bare" aria-pressed=${only.value === c} onClick=${() => pick(c)}>${name}</button>
          `,
        )}
      </div>
    </div>
  `;
}

// wanted reports whether a call is among those that the filters let through.
function wanted(r) {
  const q = query.value.toLowerCase();
  const text = `${r.method} ${r.path} ${r.status} ${r.error_code} ${r.id}`.toLowerCase();
  return (!only.value || String(r.status)[0] === only.value) && (!q || text.includes(q));
}

const Gone = () => html`
  <${Empty} icon="send" title="This request is not kept any more">
    <p>Only the newest ${keptMost} requests are kept, until the server restarts.</p>
    <a class="btn" href=${pageFor('')}>All requests</a>
  <//>
`;

// save keeps the requests as a file for the network tools of browsers.
const save = () =>
  archiveText().then(
    text => download(text, 'requests.har'),
    e => say(e.message),
  );

export function Page({ rest: [one] }) {
  const { held, list: calls, flip } = useHeld(store.calls.value, one, () => go(pageFor(''), true));
  const named = calls.find(r => r.id === one);
  if (named) document.title = `${named.method} ${named.path} ${named.status} · Platen`;
  const refusals = groupsOf(store.calls.value);
  const found = new Set(calls.filter(wanted).slice(0, shownMost));
  const shown = calls.filter(r => r === named || found.has(r));
  return html`
    <div class="title">
      <h1>Requests</h1>
      <p>
        Requests with either key. Open one to see its bodies. The console's own reads are hidden.
      </p>
    </div>
    <${Figures} calls=${store.calls.value} />
    <div class=${refusals.length ? 'cols' : ''}>
      <section class="card">
        <div class="card-h">
          <h2>Newest</h2>
          <span class="grow" />
          <button class="btn small" onClick=${save}>
            <${Icon} name="download" size=${13} />
            Save as HAR
          </button>
          <${Hold} held=${!!held} flip=${flip} />
        </div>
        <${Filters} />
        ${
          one && !named && store.loaded.value
            ? html`<${Gone} />`
            : html`<${Calls} calls=${calls} shown=${shown} one=${one} />`
        }
      </section>
      ${refusals.length ? html`<${Refusals} list=${refusals} />` : null}
    </div>
  `;
}
