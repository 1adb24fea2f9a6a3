// Signatures of webhooks, as the server makes them: v1, and the base64 of an HMAC-SHA256 over id, timestamp and the
// raw body. What is wrong with one is found as `platen verify` finds it, with the same codes and texts:
// internal/edge/webhook/diagnosis is the original, and its test writes what this has to agree with.
import { hmac } from './sha256.js';

const bytes = text => new TextEncoder().encode(text);
const binary = text => Uint8Array.from(atob(text), c => c.charCodeAt(0));
const base64 = digest => btoa(String.fromCharCode(...digest));

const prefix = 'whsec_';
const version = 'v1,';
// tolerance is the largest difference between a timestamp and the clock, in seconds.
const tolerance = 300;
// From here on, in seconds, a timestamp is one in milliseconds.
const millisecondsFrom = 1e11;
const mostShown = 24;

const standard = /^(?:[\w+/]{4})*(?:[\w+/]{2}==|[\w+/]{3}=)?$/;
const bare = /^[\w+/]*$/;
const space = '[\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+';
const trimmed = text => text.replace(new RegExp(`^${space}|${space}$`, 'g'), '');
const shorten = text => (text.length > mostShown ? `${text.slice(0, mostShown)}…` : text);

// lasting writes seconds as Go does: 1h0m5s.
function lasting(seconds) {
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return h ? `${h}h${m}m${s}s` : m ? `${m}m${s}s` : `${s}s`;
}

const signed = (key, { id, timestamp }, body) => base64(hmac(key, bytes(`${id}.${timestamp}.${body}`)));

// keys are the ways in which people read a secret, the right one first.
function keys(secret) {
  const text = secret.replace(/^[ \t\r\n"'`]+|[ \t\r\n"'`]+$/g, '');
  const versioned = text.startsWith(version);
  const known = versioned ? text.slice(version.length) : text;
  const inner = known.startsWith(prefix) ? known.slice(prefix.length) : known;
  const plain = inner.replace(/[\r\n]/g, '');
  const ways = [];
  if (standard.test(plain) && !plain.includes('_')) {
    const key = binary(plain);
    if (versioned)
      ways.push([
        key,
        'secret_has_extra_characters',
        'The secret has v1, before it, as some services show it. Without that it fits.',
      ]);
    else if (text !== secret)
      ways.push([
        key,
        'secret_has_extra_characters',
        'The secret has spaces, quotes or a line break around it. Without them it fits.',
      ]);
    else if (inner === known)
      ways.push([
        key,
        'secret_prefix_missing',
        'The secret lacks the prefix whsec_. It works, but libraries that require the prefix reject it.',
      ]);
    else ways.push([key, '', '']);
  }
  const unsafe = inner
    .replace(/=+$/, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replace(/[\r\n]/g, '');
  if (bare.test(unsafe) && unsafe.length % 4 !== 1)
    ways.push([
      binary(unsafe),
      'secret_url_safe',
      'The secret is in URL-safe base64 (with - and _) or lacks its padding. Secrets are standard base64 (with + and ' +
        '/): use it unchanged.',
    ]);
  return [
    ...ways,
    [
      bytes(text),
      'secret_not_decoded',
      'It was signed with the text of the secret as the key. The key is the part behind whsec_, decoded from base64.',
    ],
    [
      bytes(inner),
      'secret_not_decoded',
      'It was signed with the part behind whsec_ as text. That part must be decoded from base64 to be the key.',
    ],
  ];
}

// sign returns the signature of a delivery, null when the secret is none.
export function sign(secret, id, timestamp, body) {
  const [[key, mistake]] = keys(secret);
  return mistake === 'secret_not_decoded' ? null : version + signed(key, { id, timestamp }, body);
}

const parsed = text => {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return null;
  }
};
const strings = /("(?:[^"\\]|\\.)*")|[ \t\r\n]+/g;
const unescaped = text =>
  JSON.stringify(JSON.parse(text)).replace(/[\u2028\u2029]/g, c => `\\u${c.charCodeAt(0).toString(16)}`);

// bodies undo the changes that are made to bodies before they are verified.
function bodies(raw) {
  const ending =
    'The body has other white space at its beginning or end than the signed one: a line break was added or taken ' +
    'away when it was read, logged or saved.';
  const again = how => `The body was parsed and written again: ${how}. Verify the raw bytes, before they are parsed.`;
  const core = trimmed(raw.replace(/^\ufeff/, ''));
  const ways = [core, `${core}\n`, `${core}\r\n`].map(body => [body, 'body_ending_changed', ending]);
  ways.push([
    raw.replaceAll('\r\n', '\n'),
    'body_ending_changed',
    'Its line breaks were changed from LF to CR LF. Read and keep the body as bytes, not as text.',
  ]);
  if (parsed(core)) {
    const compact = core.replace(strings, (_, text) => text ?? '');
    ways.push([compact, 'body_reserialised', again('it has spaces that were not sent')]);
    const plain = compact.replace(strings, (_, text) => unescaped(text));
    ways.push([plain, 'body_reserialised', again('characters are escaped that were not')]);
  }
  return ways.filter(([body]) => body !== raw);
}

// guesses are the likely causes when nothing explains a signature.
function guesses({ id, body }) {
  const reads = parsed(body);
  if (body === '') return [['body_changed', true, 'The body is empty. Something read it before it was captured.']];
  if (!reads)
    return [
      [
        'body_changed',
        true,
        'The body is not JSON, so it is not the signed body. Capture the raw bytes, before anything decodes them.',
      ],
    ];
  const own = reads.value?.id ?? '';
  if (own !== id)
    return [
      [
        'body_changed',
        true,
        `The body has the id ${JSON.stringify(shorten(own))} and webhook-id is ${JSON.stringify(shorten(id))}: they ` +
          'belong to different requests, or the body was changed.',
      ],
    ];
  if (body.includes('": ') || body.includes('\n'))
    return [
      [
        'body_reserialised',
        false,
        'The body looks as if it had been parsed and written again: it is sent without spaces. Verify the raw bytes, ' +
          'before they are parsed.',
      ],
    ];
  return [
    [
      'secret_wrong',
      false,
      'No signature matches this secret. It is likely that of another subscription or sandbox, or from before a ' +
        'rotation. GET /webhooks says when a secret was rotated; rotate it again when it is lost.',
    ],
    [
      'body_changed',
      false,
      'If the secret is right, the body was changed: a value, the order of its fields, or how a character is written.',
    ],
  ];
}

// clock compares the timestamp with the receiver's clock.
function clock(stamp, now) {
  const seconds = Number(stamp);
  if (!stamp) return { findings: [] };
  if (!/^[+-]?\d{1,18}$/.test(stamp))
    return {
      findings: [
        [
          'timestamp_malformed',
          true,
          `webhook-timestamp is ${JSON.stringify(shorten(stamp))}. It must be whole seconds since 1970; it was ` +
            'changed on the way.',
        ],
      ],
    };
  if (seconds > millisecondsFrom)
    return {
      findings: [
        [
          'timestamp_malformed',
          true,
          `webhook-timestamp is ${seconds}, which looks like milliseconds. It is sent in seconds.`,
        ],
      ],
    };
  const off = Math.trunc(now - seconds);
  if (Math.abs(off) <= tolerance) return { readable: true, timely: true, findings: [] };
  const text =
    off > 0
      ? `The request was signed ${lasting(off)} ago by this clock, and more than ${lasting(tolerance)} is rejected. ` +
        'It is an old request, or this clock is fast.'
      : `The request was signed ${lasting(-off)} in the future of this clock, and more than ${lasting(tolerance)} is ` +
        'rejected. This clock is slow.';
  return { readable: true, findings: [['clock_off', true, text]] };
}

// secrets looks for the secret and the body that explain a signature.
function secrets(message, secret) {
  const ways = keys(secret);
  const at = (key, body) => message.signatures.indexOf(signed(key, message, body));
  const findings =
    ways[0][1] === 'secret_not_decoded'
      ? [
          [
            'secret_malformed',
            true,
            'The secret is not base64 behind whsec_. Use it unchanged, as you got it at creation or rotation.',
          ],
        ]
      : [];
  const found = ways.find(([key]) => at(key, message.body) >= 0);
  if (found) {
    const [key, mistake, text] = found;
    if (at(key, message.body) > 0)
      findings.push([
        'old_secret',
        true,
        'It fits the second signature, so this is the secret from before a rotation. It stops signing a day after ' +
          'that.',
      ]);
    if (mistake) findings.push([mistake, true, text]);
    return { genuine: !mistake || mistake === 'secret_prefix_missing', findings };
  }
  for (const [body, mistake, text] of bodies(message.body))
    for (const [key, other, why] of ways)
      if (at(key, body) >= 0) {
        findings.push([mistake, true, text]);
        if (other) findings.push([other, true, why]);
        return { genuine: false, findings };
      }
  return { genuine: false, findings: [...findings, ...guesses(message)] };
}

// examine reports whether a correct receiver accepts a request at a moment, in seconds, and the faults that it has.
export function examine({ secret, body, ...headers }, now) {
  const [id, timestamp, signature] = ['id', 'timestamp', 'signature'].map(name => trimmed(headers[name] ?? ''));
  const missing = Object.entries({ 'webhook-id': id, 'webhook-signature': signature, 'webhook-timestamp': timestamp })
    .filter(([, value]) => !value)
    .map(([name]) => [
      'header_missing',
      true,
      `The header ${name} is missing or empty. Something between the sender and this program took it away, or it was ` +
        'not captured.',
    ]);
  const time = clock(timestamp, now);
  const findings = [...missing, ...time.findings];
  const report = genuine => ({
    verified: !!(genuine && time.timely),
    genuine,
    findings: findings.map(([code, certain, text]) => ({ code, certain, text })),
  });
  if (!id || !signature || !time.readable) return report(false);
  const given = signature.split(/\s+/);
  const signatures = given.flatMap(s => (s.startsWith(version) && s !== version ? [s.slice(version.length)] : []));
  if (!signatures.length) {
    findings.push([
      'signature_version_unknown',
      true,
      `webhook-signature has no entry that begins with "v1," (it begins with ${JSON.stringify(shorten(given[0]))}). ` +
        'Use the unchanged header, with its commas and spaces.',
    ]);
    return report(false);
  }
  const found = secrets({ id, timestamp, signatures, body }, secret);
  findings.push(...found.findings);
  return report(found.genuine);
}
