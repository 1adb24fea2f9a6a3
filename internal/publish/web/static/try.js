import { copy } from './lib/html.js';
// "Try it" on the pages of operations: a call with the keys of this tab's
// sandbox. Without a script, or without a sandbox, the snippet beside it does
// the same.

const form = document.querySelector('form.try');
const session =
  (() => {
    try {
      return JSON.parse(sessionStorage.getItem('platen.session'));
    } catch {
      return null;
    }
  })() ?? {};
const { method, path, system, query, body } = form.dataset;
const key =
  system === 'office'
    ? session.office_key
    : system === 'factory'
      ? session.factory_key
      : session.office_key || session.factory_key;

function make(name, properties = {}, ...children) {
  const e = Object.assign(document.createElement(name), properties);
  e.append(...children);
  return e;
}

const field = (name, input) =>
  make(
    'label',
    { className: 'try-field' },
    make('span', { textContent: name }),
    Object.assign(input, { name, autocomplete: 'off', spellcheck: false }),
  );
const headers = () => ({ Authorization: `Bearer ${key}` });

// newest fills in the id of the newest row of the list that a path begins with.
async function newest(input) {
  const list = path.slice(0, path.indexOf('/{id}'));
  try {
    const answer = await fetch(`${list}?limit=1`, { headers: headers() });
    const found = (await answer.json()).data?.items?.[0]?.id;
    input.value = found ?? '';
    input.placeholder = found ? '' : 'there is none yet';
  } catch {
    input.placeholder = 'the server does not respond';
  }
}

function build() {
  const places = [...path.matchAll(/\{(\w+)\}/g)].map(m => m[1]);
  for (const name of places) {
    const input = make('input', { required: true });
    const row = field(name, input);
    if (name === 'id')
      row.append(
        make('button', { type: 'button', className: 'btn small', textContent: 'Newest', onclick: () => newest(input) }),
      );
    form.append(row);
  }
  for (const name of query ? query.split(' ') : []) form.append(field(name, make('input')));
  if (body)
    form.append(field('body', make('textarea', { rows: Math.min(10, body.length / 40 + 2), value: pretty(body) })));
  const send = make('button', { className: 'btn primary', textContent: `Send ${method}` });
  const said = make('div', { className: 'try-answer', role: 'status' });
  form.append(make('div', { className: 'try-send' }, send), said);
  form.addEventListener('submit', event => {
    event.preventDefault();
    send.disabled = true;
    call(places)
      .then(show => said.replaceChildren(...show))
      .finally(() => {
        send.disabled = false;
      });
  });
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

// call sends what the form says, and returns what to show of the answer.
async function call(places) {
  const value = name => form.elements[name].value.trim();
  const sent = headers();
  let url = path;
  for (const name of places) url = url.replace(`{${name}}`, encodeURIComponent(value(name)));
  const asked = new URLSearchParams(
    (query ? query.split(' ') : []).map(name => [name, value(name)]).filter(([, v]) => v),
  );
  if (`${asked}`) url += `?${asked}`;
  if (method !== 'GET')
    sent['Idempotency-Key'] = [...crypto.getRandomValues(new Uint8Array(16))]
      .map(b => b.toString(16).padStart(2, '0'))
      .join('');
  const text = body ? form.elements.body.value.trim() : '';
  if (text) sent['Content-Type'] = 'application/json';
  const began = performance.now();
  try {
    const answer = await fetch(url, { method, headers: sent, body: text || undefined });
    const said = await answer.text();
    const good = answer.ok ? 'ok' : answer.status < 500 ? 'warn' : 'bad';
    return [
      make(
        'p',
        {},
        make('b', { className: `http ${good}`, textContent: answer.status }),
        ` in ${Math.round(performance.now() - began)} ms, `,
        make('code', { textContent: answer.headers.get('Request-Id') ?? '' }),
      ),
      make('pre', { tabIndex: 0, ariaLabel: 'Response' }, make('code', { textContent: pretty(said) })),
      make('button', {
        type: 'button',
        className: 'btn small',
        textContent: 'Copy the response',
        onclick: () => copy(said, 'Response'),
      }),
    ];
  } catch {
    return [make('p', { textContent: 'The server does not respond.' })];
  }
}

form.append(make('h2', { textContent: 'Try it' }));
if (key) {
  const name = session.public_name || 'your sandbox';
  const effect = method === 'GET' ? '' : ' and changes the sandbox';
  form.append(
    make('p', {
      className: 'dim',
      textContent: `With the key of ${name}. It is a real request${effect}.`,
    }),
  );
  build();
} else {
  form.append(
    make(
      'p',
      { className: 'dim' },
      make('a', { href: '/', textContent: 'Create a sandbox' }),
      ' in this tab, or paste its keys in the ',
      make('a', { href: '/console/keys', textContent: 'console' }),
      ', and this page can send the request.',
    ),
  );
}
form.hidden = false;
