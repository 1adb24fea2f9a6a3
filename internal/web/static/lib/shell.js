// Requests as commands of the shell. They are pasted and run, so that texts of clients stay words, and
// nothing in them acts on the terminal.

// What moves the cursor, ends a paste or turns the direction of reading; a line may end.
const acting = /[^\P{Cc}\n]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

// quoted makes a text a word of the shell, and nothing else.
export const quoted = text => {
  const clean = text.replace(acting, '');
  return /^[\w./:-]+$/.test(clean) ? clean : `'${clean.replaceAll("'", "'\\''")}'`;
};

// json is a value for a program or a command: characters that act on a terminal are escaped.
export const json = (value, step) =>
  JSON.stringify(value, null, step).replace(acting, c => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);

// bearer is the header with the key of a system, which the environment has.
export const bearer = system => `-H "Authorization: Bearer $PLATEN_${system.toUpperCase()}_KEY"`;

// whole reports whether all of a body is kept.
export const whole = (text, bytes) => !bytes || new Blob([text ?? '']).size === bytes;

// curlOf is a request that was sent, to be sent again. Where only the beginning of its body is kept there is none.
// With another body than it had, it is another request and leaves out the idempotency key.
export function curlOf({ method, path, system }, sent, origin = location.origin) {
  const body = sent?.request_body ?? '';
  if (!whole(body, sent?.request_bytes)) return '';
  const query = sent?.query ? `?${sent.query}` : '';
  const verb = method === 'GET' ? '' : `-X ${quoted(method)} `;
  const parts = [`curl -gs ${verb}${quoted(origin + path + query)} ${bearer(system)}`];
  if (sent?.idempotency_key && !body.match(acting))
    parts.push(`-H ${quoted(`Idempotency-Key: ${sent.idempotency_key}`)}`);
  if (body) parts.push(`-H 'Content-Type: application/json'`, `--data-raw ${quoted(body)}`);
  return parts.join(' \\\n  ');
}
