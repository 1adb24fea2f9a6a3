import { html, Icon } from '../lib/html.js';
import * as store from '../lib/store.js';
import { money, number, roundMoney, signed, words } from '../lib/format.js';
import { Ago, Code, Empty, Http, Skeleton, SkeletonRows, bearer } from './parts.js';
import { Chart } from './chart.js';
import { Feed } from './feed.js';

function Tile({ name, value, children }) {
  return html`
    <div class="tile">
      <span class="tile-n">${name}</span>
      <span class="tile-v">${value ?? html`<${Skeleton} width="6.5rem" />`}</span>
      ${children}
    </div>
  `;
}

function Materials({ s }) {
  const list = s?.inventory.materials ?? Array.from({ length: 5 }, () => null);
  return html`
    <div class="tile materials">
      <span class="tile-n">Materials</span>
      <ul>
        ${list.map(m => {
          if (!m) return html`<li><${Skeleton} width="100%" /></li>`;
          const most = Math.max(m.reorder_point * 2, m.on_hand);
          const low = m.on_hand < m.reorder_point;
          return html`
            <li
              class=${low ? 'warn' : 'ok'}
              title=${`${m.name}: ${number(m.on_hand)}, reorder at ${number(m.reorder_point)}`}
            >
              <span>${m.name.split(',')[0]}</span>
              <span
                class="meter"
                role="img"
                aria-label=${`${number(m.on_hand)} of ${m.name}, reorder at ${number(m.reorder_point)}`}
              >
                <i style=${{ transform: `scaleX(${m.on_hand / most})` }} />
                <b style=${{ left: `${(100 * m.reorder_point) / most}%` }} />
              </span>
              <span class="num">${number(m.on_hand)}</span>
            </li>
          `;
        })}
      </ul>
    </div>
  `;
}

function Presses({ s }) {
  const presses = store.rows('press');
  const running = new Map(
    store
      .rows('print_run')
      .filter(r => r.status === 'running')
      .map(r => [r.press_id, r]),
  );
  return html`
    <div class="tile">
      <span class="tile-n">Presses</span>
      ${
        presses.length
          ? html`
            <ul class="presses">
              ${presses.map(
                p => html`
                  <li class=${{ running: 'ok', down: 'bad' }[p.status] ?? 'calm'}>
                    <i class="dot" aria-hidden="true" />
                    <span>${p.name}</span>
                    <span class="dim num">${running.get(p.id)?.number ?? words(p.status)}</span>
                  </li>
                `,
              )}
            </ul>
          `
          : s
            ? html`
              <span class="tile-v">
                ${s.presses.running}
                <small> of ${s.presses.idle + s.presses.running + s.presses.down} running</small>
              </span>
            `
            : html`<${Skeleton} width="100%" />`
      }
      ${s ? html`<span class="tile-s">reputation <b>${s.reputation}</b> · morale <b>${s.morale}</b></span>` : null}
    </div>
  `;
}

function Tiles() {
  const s = store.status.value;
  const change = s ? s.cash_minor - s.opening_cash_minor : 0;
  return html`
    <section class="tiles" aria-label="Now">
      <${Tile} name="Cash" value=${s ? html`${roundMoney(s.cash_minor)}<small> ${s.currency}</small>` : null}>
        ${
          s
            ? html`
              <span class="tile-s">
                <b class=${change < 0 ? 'c-red' : 'c-green'}>${signed(change)}</b> since the opening
              </span>
              <span class="tile-s">net worth <b>${roundMoney(s.net_worth_minor)}</b></span>
            `
            : null
        }
      <//>
      <${Tile} name="Orders open" value=${s ? number(s.counts.orders_open) : null}>
        ${
          s
            ? html`
              <span class="tile-s">
                <b>${s.counts.work_orders_open}</b> at the Factory · <b>${s.counts.lots_offered}</b> ${
                  s.counts.lots_offered === 1 ? 'lot' : 'lots'
                } offered
              </span>
              <span class="tile-s">
                <b>${s.score.orders_shipped}</b> shipped · <b>${s.counts.invoices_payable}</b> to pay
              </span>
            `
            : null
        }
      <//>
      <${Materials} s=${s} />
      <${Presses} s=${s} />
    </section>
  `;
}

// The orders that wait for an answer: what somebody new does first.
function Waiting() {
  const waiting = store.rows('sales_order').filter(o => o.status === 'received');
  if (!waiting.length) return null;
  const first = waiting.at(-1);
  return html`
    <section class="card">
      <div class="card-h">
        <h2>Orders to answer</h2>
        <span class="pill office">${waiting.length}</span>
        <span class="grow" />
        <a class="more" href="/console/office">All <${Icon} name="chevron-right" size=${14} /></a>
      </div>
      <div class="scroll" tabindex="0" role="region" aria-label="Orders to answer">
        <table class="tbl">
          <tbody>
            ${waiting
              .slice(-4)
              .reverse()
              .map(
                o => html`
                  <tr key=${o.id}>
                    <td><code>${o.number}</code></td>
                    <td class="fill">
                      ${o.customer_name} <span class="dim">${number(o.quantity)} × ${o.product_name}</span>
                    </td>
                    <td class="r num">${money(o.total_minor)}</td>
                  </tr>
                `,
              )}
          </tbody>
        </table>
      </div>
      <div class="pad" hidden=${!!store.readOnly.value}>
        <${Code}
          what="accept an order"
          text=${`curl -s -X POST ${location.origin}/v1/office/sales-orders/${first.id}/accept ${bearer('office')}`}
        />
      </div>
    </section>
  `;
}

function Missions() {
  const all = store.rows('mission');
  const done = all.filter(m => m.status === 'completed').length;
  const next = all.filter(m => m.status === 'active').slice(0, 4);
  return html`
    <section class="card">
      <div class="card-h">
        <h2>Missions</h2>
        <span class="dim">${all.length ? `${done} of ${all.length}` : ''}</span>
        <span class="grow" />
        <a class="more" href="/console/missions">All <${Icon} name="chevron-right" size=${14} /></a>
      </div>
      <div class="pad">
        <div class="bar-track ok" role="img" aria-label=${`${done} of ${all.length} missions completed`}>
          <i style=${{ transform: `scaleX(${all.length ? done / all.length : 0})` }} />
        </div>
      </div>
      ${
        !store.loaded.value
          ? html`<${SkeletonRows} rows=${3} />`
          : html`
            <ul class="next">
              ${next.map(
                m => html`
                  <li key=${m.id}>
                    <${Icon} name="circle-dashed" />
                    <div>
                      <b>${m.title}</b>
                      ${
                        m.progress.target > 1
                          ? html`<span class="count num">${m.progress.current}/${m.progress.target}</span>`
                          : null
                      }
                      <p>${m.objective}</p>
                    </div>
                  </li>
                `,
              )}
            </ul>
          `
      }
    </section>
  `;
}

const Requests = () => html`
  <section class="card">
    <div class="card-h">
      <h2>Requests</h2>
      <span class="grow" />
      <a class="more" href="/console/requests">All <${Icon} name="chevron-right" size=${14} /></a>
    </div>
    ${
      !store.loaded.value
        ? html`<${SkeletonRows} rows=${4} />`
        : !store.calls.value.length
          ? html`
            <${Empty} icon="send" title="No calls yet"><p>What your programs send with either key shows up here.</p><//>
          `
          : html`
            <table class="tbl">
              <tbody>
                ${store.calls.value.slice(0, 7).map(
                  r => html`
                    <tr key=${r.id}>
                      <td><${Http} status=${r.status} /></td>
                      <td class="fill">
                        <span class="verb">${r.method}</span> <code>${r.path.replace('/v1', '')}</code>
                      </td>
                      <td class="r dim num">${r.duration_ms} ms</td>
                      <td class="r dim num"><${Ago} at=${r.created_at} /></td>
                    </tr>
                  `,
                )}
              </tbody>
            </table>
          `
    }
  </section>
`;

const Deliveries = () => html`
  <section class="card">
    <div class="card-h">
      <h2>Deliveries</h2>
      <span class="grow" />
      <a class="more" href="/console/webhooks">All <${Icon} name="chevron-right" size=${14} /></a>
    </div>
    ${
      !store.loaded.value
        ? html`<${SkeletonRows} rows=${4} />`
        : !store.rows('webhook_delivery').length
          ? html`
            <${Empty} icon="webhook" title="No deliveries yet">
              <p>Subscribe a URL and events come to you.</p>
              <a class="btn small" href="/console/webhooks">Add a webhook</a>
            <//>
          `
          : html`
            <table class="tbl">
              <tbody>
                ${store
                  .rows('webhook_delivery')
                  .slice(0, 7)
                  .map(
                    d => html`
                      <tr key=${d.id}>
                        <td>
                          ${
                            d.status_code || d.error_class
                              ? html`<${Http} status=${d.status_code} code=${d.error_class} />`
                              : html`<span class="http calm">${d.status}</span>`
                          }
                        </td>
                        <td class="fill"><code>${d.event_type}</code></td>
                        <td class="r dim num">${d.latency_ms == null ? `try ${d.attempt}` : `${d.latency_ms} ms`}</td>
                      </tr>
                    `,
                  )}
              </tbody>
            </table>
          `
    }
  </section>
`;

export function Page() {
  const points = store.points.value;
  const s = store.status.value;
  const total = s ? s.presses.idle + s.presses.running + s.presses.down : 2;
  const stock = s?.inventory.materials.find(m => m.sku === 'mat_coated');
  return html`
    <h1 class="vh">Overview</h1>
    <${Tiles} />
    <div class="cols">
      <div class="col">
        <section class="card">
          <div class="card-h"><h2>Cash</h2></div>
          ${
            s
              ? html`
                <${Chart}
                  points=${points}
                  live=${s.cash_minor}
                  pick=${p => p.cash_minor}
                  label="Cash"
                  name="--cyan"
                  stepped
                  format=${v => `${roundMoney(v / 1000)}k`}
                />
              `
              : html`<div class="pad"><${Skeleton} width="100%" /></div>`
          }
        </section>
        <div class="pair">
          <section class="card">
            <div class="card-h"><h2>Coated paper</h2></div>
            ${
              s
                ? html`
                  <${Chart}
                    points=${points}
                    live=${stock?.on_hand}
                    pick=${p => p.stock.mat_coated}
                    label="Coated paper"
                    name="--magenta"
                    stepped
                    floor=${0}
                    height=${128}
                    format=${number}
                  />
                `
                : null
            }
          </section>
          <section class="card">
            <div class="card-h"><h2>Presses running</h2></div>
            ${
              s
                ? html`
                  <${Chart}
                    points=${points}
                    live=${s.presses.running}
                    pick=${p => p.presses_running}
                    label="Presses running"
                    name="--magenta"
                    stepped
                    floor=${0}
                    ceiling=${total}
                    height=${128}
                    format=${v => (Number.isInteger(v) ? v : '')}
                  />
                `
                : null
            }
          </section>
        </div>
        <${Waiting} />
        <div class="pair"><${Requests} /><${Deliveries} /></div>
      </div>
      <div class="col"><${Feed} limit=${120} /><${Missions} /></div>
    </div>
  `;
}
