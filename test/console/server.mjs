// A server for the store: it answers with the state that a test gives it, and
// holds the stream open until the test lets it go on.
import './browser.mjs';

const text = new TextEncoder();

export const keys = { office_key: `lab_off_${'o'.repeat(43)}`, factory_key: `lab_fac_${'f'.repeat(43)}` };
export const sandbox = { sandbox_id: 'sbx_1', public_name: 'Example Press', ...keys, seen: true };

export const json = (body, status = 200, headers = {}) =>
  new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json', ...headers } });

// status is that of a sandbox with an hour to go.
export const status = (more = {}) => ({
  sandbox_id: 'sbx_1',
  public_name: 'Example Press',
  created_at: '2026-09-07T08:00:00Z',
  expires_at: new Date(Date.now() + 3600e3).toISOString(),
  extensions_left: 2,
  bridge: 'auto',
  ...more,
});

export const present = (more = {}) => ({
  server_time: new Date().toISOString(),
  sim_date: '2026-09-09',
  sim_time: '10:00',
  expires_in_s: 3600,
  status: 'active',
  ...more,
});

// change returns the first message of the server: everything.
export const change = (more = {}) => ({ place: '1.1.1', whole: true, now: present(), status: status(), ...more });

// Server replaces fetch. It keeps the requests in asked; the test answers.
export class Server {
  asked = [];
  streams = [];

  // state answers each question for the whole state, stream each one for what follows.
  constructor({ state = () => json({ data: change() }), stream } = {}) {
    this.state = state;
    this.stream = stream ?? (signal => this.open(signal));
    globalThis.fetch = async (path, { headers, signal, ...rest } = {}) => {
      this.asked.push({ path, headers: new Headers(headers), ...rest });
      return path === '/console/stream' ? this.stream(signal) : this.state(path);
    };
  }

  // open is a stream that lasts until the client or the test ends it.
  open(signal) {
    const body = new ReadableStream({
      start: control => {
        this.streams.push(control);
        signal?.addEventListener('abort', () => control.error(new DOMException('stopped', 'AbortError')));
      },
    });
    return new Response(body, { headers: { 'Content-Type': 'text/event-stream' } });
  }

  // tell sends a change on the newest stream.
  tell(data, { id = '2.2.2', event = 'change' } = {}) {
    this.streams.at(-1).enqueue(text.encode(`event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`));
  }

  // lose breaks the newest stream.
  lose() {
    this.streams.at(-1).close();
  }
}
