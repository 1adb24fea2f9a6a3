// What clients of the sandbox sent: the errors together, and each call.
import { signal, useLayoutEffect } from '../vendor/preact.js';
import { html, Icon } from '../lib/html.js';
import { onPause } from '../lib/navigate.js';
import * as store from '../lib/store.js';
import { number, wallTime } from '../lib/format.js';
import { Ago, Code, Empty, FilterBox, Http, SkeletonRows, bearer, curl } from './parts.js';

const query = signal('');
const only = signal('');
const held = signal(null);
const open = signal('');
const classes = [
  ['', 'All'],
  ['2', '2xx'],
  ['4', '4xx'],
  ['5', '5xx'],
];
// What a client sent is a word of the shell and nothing else: whoever pastes it runs it.
const quoted = text => (/^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
const curlOf = r => {
  const method = r.method === 'GET' ? '' : `-X ${quoted(r.method)} `;
  return `curl -s ${method}${quoted(location.origin + r.path)} ${bearer(r.system)}`;
};

function Groups({ calls }) {
  const groups = new Map();
  for (const r of calls)
    if (r.error_code) {
      const g = groups.get(r.error_code) ?? {
        code: r.error_code,
        status: r.status,
        n: 0,
        routes: new Set(),
        last: r.created_at,
      };
      g.n++;
      g.routes.add(`${r.method} ${r.path.replace(/\/[a-z]+_[0-9a-z]{13}/g, '/{id}')}`);
      groups.set(r.error_code, g);
    }
  const list = [...groups.values()].sort((a, b) => b.n - a.n);
  return html`
    <section class="card">
      <div class="card-h">
        <h2>Refusals</h2>
        ${list.length ? html`<span class="pill warn">${list.reduce((n, g) => n + g.n, 0)}</span>` : null}
      </div>
      ${
        list.length
          ? html`
            <ul class="groups">
              ${list.map(
                g => html`
                  <li key=${g.code}>
                    <${Http} status=${g.status} />
                    <div>
                      <button
                        class="as-text"
                        onClick=${() => {
                          query.value = g.code;
                        }}
                      >
                        <code>${g.code}</code>
                      </button>
                      <p class="dim">
                        ${[...g.routes].slice(0, 2).join(', ')}
                        ${g.routes.size > 2 ? ` and ${g.routes.size - 2} more` : ''}
                      </p>
                    </div>
                    <span class="grow" />
                    <b class="num">${number(g.n)}</b>
                    <a class="dim" href=${`/docs/errors/${g.code}`}>what to do</a>
                  </li>
                `,
              )}
            </ul>
          `
          : html`
            <${Empty} icon="shield-check" title="No refusals">
              <p>When a call is refused, its code is counted here, with a page that says what to do.</p>
            <//>
          `
      }
    </section>
  `;
}

function Figures({ calls }) {
  const times = calls.map(r => r.duration_ms).sort((a, b) => a - b);
  const at = q => (times.length ? times[Math.min(times.length - 1, Math.floor(q * times.length))] : null);
  const refused = calls.filter(r => r.status >= 400).length;
  const replays = calls.filter(r => r.idempotent_replay).length;
  return html`
    <section class="tiles four" aria-label="Figures">
      ${[
        ['Calls', number(calls.length), 'the newest 500'],
        ['Refused', calls.length ? `${Math.round((100 * refused) / calls.length)} %` : '\u2013', `${refused} of them`],
        ['Median', at(0.5) == null ? '\u2013' : `${at(0.5)} ms`, `slowest of 20: ${at(0.95) ?? '\u2013'} ms`],
        ['Replayed', number(replays), 'answered by an Idempotency-Key'],
      ].map(
        ([n, v, s]) => html`
          <div class="tile">
            <span class="tile-n">${n}</span>
            <span class="tile-v num">${v}</span>
            <span class="tile-s">${s}</span>
          </div>
        `,
      )}
    </section>
  `;
}

export function Page() {
  useLayoutEffect(() => {
    onPause.current = () => {
      held.value = held.value ? null : store.calls.value;
    };
    return () => {
      onPause.current = null;
      held.value = null;
      open.value = '';
    };
  }, []);
  const calls = held.value ?? store.calls.value;
  const q = query.value.toLowerCase();
  const shown = calls
    .filter(
      r =>
        (!only.value || String(r.status)[0] === only.value) &&
        (!q || `${r.method} ${r.path} ${r.status} ${r.error_code} ${r.id}`.toLowerCase().includes(q)),
    )
    .slice(0, 300);
  const toggle = r => {
    if (!held.value && open.value !== r.id) held.value = store.calls.value;
    open.value = open.value === r.id ? '' : r.id;
  };
  return html`
    <div class="title">
      <h1>Requests</h1>
      <p>
        What was sent with either key, without bodies or query strings. What this console reads to stay live is not
        among it.
      </p>
    </div>
    <${Figures} calls=${store.calls.value} />
    <div class="cols">
      <section class="card">
        <div class="card-h">
          <h2>Calls</h2>
          <span class="grow" />
          <button class="btn small" aria-pressed=${!!held.value} onClick=${() => onPause.current()}>
            <${Icon} name=${held.value ? 'play' : 'pause'} size=${13} />
            ${held.value ? 'Go on' : 'Hold'} <kbd aria-hidden="true">p</kbd>
          </button>
        </div>
        <div class="filters">
          <${FilterBox}
            label="Filter calls"
            value=${query.value}
            onInput=${t => {
              query.value = t;
            }}
          />
          <div class="chips">
            ${classes.map(
              ([c, name]) => html`
                <button
                  class="chip bare"
                  aria-pressed=${only.value === c}
                  onClick=${() => {
                    only.value = c;
                  }}
                >
                  ${name}
                </button>
              `,
            )}
          </div>
        </div>
        ${
          !store.loaded.value
            ? html`<${SkeletonRows} rows=${8} />`
            : !shown.length
              ? html`
                <${Empty} icon="send" title=${calls.length ? 'Nothing matches' : 'No calls yet'}>
                  <p>${calls.length ? 'Esc clears the filter.' : 'Send the first one:'}</p>
                  ${calls.length ? null : html`<${Code} what="curl" text=${curl('/office/sales-orders')} />`}
                <//>
              `
              : html`
                <div class="scroll" tabindex="0" role="region" aria-label="Calls">
                  <table class="tbl">
                    <tbody>
                      ${shown.map(
                        r => html`
                          <tr key=${r.id} data-row tabindex="0" data-curl=${curlOf(r)} onClick=${() => toggle(r)}>
                            <td><${Http} status=${r.status} /></td>
                            <td>
                              <i class=${`dot ${r.system}`} title=${r.system} />
                              <span class="vh">${r.system}</span>
                            </td>
                            <td class="fill"><span class="verb">${r.method}</span> <code>${r.path}</code></td>
                            <td class="hide-s">
                              ${
                                r.error_code
                                  ? html`<code class="c-amber">${r.error_code}</code>`
                                  : r.idempotent_replay
                                    ? html`<span class="pill calm">replay</span>`
                                    : null
                              }
                            </td>
                            <td class="r dim num">${r.duration_ms} ms</td>
                            <td class="r dim num"><${Ago} at=${r.created_at} /></td>
                          </tr>
                          ${
                            open.value === r.id
                              ? html`
                                <tr class="under">
                                  <td colspan="6">
                                    <dl class="facts">
                                      <div><dt>Request</dt><dd><code>${r.id}</code></dd></div>
                                      <div><dt>At</dt><dd class="num">${wallTime(r.created_at)}</dd></div>
                                      <div>
                                        <dt>Key</dt>
                                        <dd>${r.system === 'office' ? 'Head Office' : 'Factory'}</dd>
                                      </div>
                                      ${
                                        r.error_code
                                          ? html`
                                            <div>
                                              <dt>Refusal</dt>
                                              <dd>
                                                <a href=${`/docs/errors/${r.error_code}`}>
                                                  <code>${r.error_code}</code>
                                                </a>
                                              </dd>
                                            </div>
                                          `
                                          : null
                                      }
                                    </dl>
                                    <${Code} what="curl" text=${curlOf(r)} />
                                  </td>
                                </tr>
                              `
                              : null
                          }
                        `,
                      )}
                    </tbody>
                  </table>
                </div>
              `
        }
      </section>
      <${Groups} calls=${store.calls.value} />
    </div>
  `;
}
