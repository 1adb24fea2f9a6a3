// How numbers, money and moments are written. Everything is in English, as the
// pages are.
const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const cents = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const minus = text => text.replace('-', '\u2212');

export const number = n => (n == null ? '\u2013' : minus(whole.format(n)));
export const money = minor => (minor == null ? '\u2013' : minus(cents.format(minor / 100)));
export const roundMoney = minor => (minor == null ? '\u2013' : minus(whole.format(minor / 100)));
export const signed = minor => (minor > 0 ? '+' : '') + roundMoney(minor);

// clock is minutes and seconds, such as 28:04.
export const clock = seconds => {
  if (seconds == null) return '--:--';
  const h = Math.floor(seconds / 3600);
  const m = Math.floor(seconds / 60) % 60;
  const s = Math.floor(seconds % 60);
  const two = n => String(n).padStart(2, '0');
  return h ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
};

// span is a length of time in words, such as 4 s or 2 min.
export const span = seconds => {
  const s = Math.max(0, Math.round(seconds));
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min`;
  return `${Math.floor(s / 3600)} h ${Math.floor(s / 60) % 60} min`;
};

// ago is how long ago a moment was.
export const ago = (instant, now) => {
  const s = Math.max(0, Math.round((now - Date.parse(instant)) / 1000));
  return s < 2 ? 'now' : s < 60 ? `${s}s` : s < 3600 ? `${Math.floor(s / 60)}m` : `${Math.floor(s / 3600)}h`;
};

const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

// day is an in-world date as people say it: Mon 7 Sep.
export const day = date => {
  if (!date) return '\u2013';
  const d = new Date(`${date}T00:00:00Z`);
  return `${days[d.getUTCDay()]} ${d.getUTCDate()} ${months[d.getUTCMonth()]}`;
};

// workingDay numbers the working days, from Monday to Friday. A weekend has the number of the Monday
// after it.
export const workingDay = date => {
  const d = Math.floor(Date.parse(`${date}T00:00:00Z`) / 86400000) + 3;
  return Math.floor(d / 7) * 5 + Math.min(5, d % 7);
};

// workingAge is how many working days of the company something is old, in words.
export const workingAge = (on, today) => {
  const days = on && today ? workingDay(today) - workingDay(on) : 0;
  return days <= 0 ? 'today' : days === 1 ? '1 day' : `${days} days`;
};

// plain writes the dates and the amounts of a message of the API as the console does.
export const plain = text =>
  text
    .replace(/\b(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d))?\b/g, (_, date, time) => day(date) + (time ? `, ${time}` : ''))
    .replace(/(-?)\b(\d+)(\.\d\d) XTS\b/g, (_, sign, n, cents) => `${sign && '\u2212'}${number(+n)}${cents} XTS`)
    .replace(/(^|[\s(])(-?\d{4,})(?=[\s.,)]|$)/g, (_, before, n) => before + number(+n));

export const wallTime = instant => new Date(instant).toLocaleTimeString('en-GB');
// wallMoment is a moment with its day, such as on Thu 26 Nov at 08:54:34.
export const wallMoment = instant => {
  const d = new Date(instant);
  return `on ${days[d.getDay()]} ${d.getDate()} ${months[d.getMonth()]} at ${wallTime(instant)}`;
};
export const words = text => String(text).replaceAll('_', ' ');
export const sentence = text => {
  const w = words(text);
  return w[0]?.toUpperCase() + w.slice(1);
};

// Requests as commands of the shell. They are pasted and run, so that texts of clients stay words, and
// nothing in them acts on the terminal.

// Characters that move the cursor, end a paste or turn the direction of reading; a line may end.
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

// isWhole reports whether all of a body is kept.
export const isWhole = (text, bytes) => !bytes || new Blob([text ?? '']).size === bytes;

// curlOf is a request that was sent, to be sent again. Where only the beginning of its body is kept there is none.
// With another body than it had, it is another request and leaves out the idempotency key.
export function curlOf({ method, path, system }, sent, origin = location.origin) {
  const body = sent?.request_body ?? '';
  if (!isWhole(body, sent?.request_bytes)) return '';
  const query = sent?.query ? `?${sent.query}` : '';
  const verb = method === 'GET' ? '' : `-X ${quoted(method)} `;
  const parts = [`curl -gs ${verb}${quoted(origin + path + query)} ${bearer(system)}`];
  if (sent?.idempotency_key && !body.match(acting))
    parts.push(`-H ${quoted(`Idempotency-Key: ${sent.idempotency_key}`)}`);
  if (body) parts.push(`-H 'Content-Type: application/json'`, `--data-raw ${quoted(body)}`);
  return parts.join(' \\\n  ');
}
