// How the server is, asked again and again.
import { render, signal } from './vendor/preact.js';
import { html, Icon } from './lib/html.js';
import { call, Refusal } from './lib/api.js';
import { number, span } from './lib/format.js';

const board = document.getElementById('board');
const every = 5000;
const answer = signal(null);
const refusal = signal(null);

async function ask() {
  try {
    answer.value = (await call('/status.json')).data;
    refusal.value = null;
  } catch (e) {
    refusal.value = e instanceof Refusal ? e : new Refusal(0);
  }
  setTimeout(ask, every);
}

const milliseconds = ms => (ms < 10 ? `${ms.toFixed(ms < 1 ? 2 : 1)} ms` : `${number(ms)} ms`);
// Took is the middle of what was measured, and what nearly all keep.
const Took = ({ name, of }) => html`
  <div>
    <dt>${name}</dt>
    <dd>${of ? html`${milliseconds(of.p50)}<small> 99 of 100 within ${milliseconds(of.p99)}</small>` : '\u2013'}</dd>
  </div>
`;
const Share = ({ name, of, capacity, unit }) => html`
  <div>
    <dt>${name}</dt>
    <dd>
      ${number(of)}
      <small> of ${number(capacity)} ${unit}</small>
      <span class=${`bar-track ${of >= capacity ? 'warn' : ''}`}>
        <i style=${{ transform: `scaleX(${capacity ? Math.min(1, of / capacity) : 0})` }} />
      </span>
    </dd>
  </div>
`;

// stateOf says in a tone and some words how the server is.
function stateOf(s) {
  if (refusal.value) return ['bad', 'The server does not respond'];
  if (!s) return ['calm', 'Asking'];
  if (s.stopping) return ['warn', 'Stopping'];
  if (!s.store.reachable) return ['bad', 'The database does not respond'];
  if (s.sandboxes.active >= s.sandboxes.capacity) return ['warn', 'Full: new sandboxes wait in the queue'];
  return ['ok', 'All systems operational'];
}

function Board() {
  const s = answer.value;
  const [tone, words] = stateOf(s);
  return html`
    <div class="board">
      <p class=${`state ${tone}`} role="status"><i class="dot" />${words}</p>
      ${
        s
          ? html`
            <dl>
              <${Share} name="Sandboxes" of=${s.sandboxes.active} capacity=${s.sandboxes.capacity} unit="places" />
              <${Share} name="Queue" of=${s.queue.length} capacity=${s.queue.capacity} unit="tickets" />
              <${Took} name="Requests, median" of=${s.latency.request_ms} />
              <${Took} name="Commits, median" of=${s.latency.commit_ms} />
              ${
                s.nodes
                  ? html`
                    <div>
                      <dt>Servers</dt>
                      <dd>
                        ${number(s.nodes.living)}
                        <small>
                          ${' this one owns '}${number(s.nodes.sandboxes_owned)}${
                            s.nodes.sandboxes_owned === 1 ? ' sandbox' : ' sandboxes'
                          }${s.nodes.admits ? ' and hands out places' : ''}
                        </small>
                      </dd>
                    </div>
                  `
                  : null
              }
              <div><dt>Version</dt><dd>${s.version}<small> API ${s.api_version}</small></dd></div>
              <div><dt>Running for</dt><dd>${span(s.uptime_s)}</dd></div>
            </dl>
          `
          : null
      }
      <p class="fine">
        <${Icon} name="braces" size=${14} /> The same for programs: <a href="/status.json">/status.json</a>
      </p>
    </div>
  `;
}

board.replaceChildren();
render(html`<${Board} />`, board);
ask();
