// A request as a program writes it. Keys come from the environment, so a snippet can be shown
// and passed on; the idempotency key names the record, so that running one twice does nothing
// twice.
//
// A request is {method, path, system, key, body}: the path without /v1, the system whose key it
// wants, an idempotency key and the body, as a value.

import { bearer, json, quoted } from './format.js';

// languages are the id and the name of each.
export const languages = [
  ['curl', 'curl'],
  ['python', 'Python'],
  ['javascript', 'JavaScript'],
  ['go', 'Go'],
];

const variableOf = system => `PLATEN_${system.toUpperCase()}_KEY`;
const asPython = { step: '    ', at: '    ', quote: json, none: 'None' };

// literal writes the body: each field on a line of its own, and each entry of a longer list too.
// as is how a language indents, quotes names, and calls null.
function literal(value, { step, at, quote, none }) {
  const write = v => {
    if (v === null) return none;
    if (Array.isArray(v)) return `[${v.map(write).join(', ')}]`;
    if (typeof v !== 'object') return json(v);
    const fields = Object.entries(v).map(([name, of]) => `${quote(name)}: ${write(of)}`);
    return quote === plain ? `{ ${fields.join(', ')} }` : `{${fields.join(', ')}}`;
  };
  const long = v => {
    if (!Array.isArray(v) || v.length < 2) return write(v);
    return `[\n${v.map(of => `${at}${step}${step}${write(of)},\n`).join('')}${at}${step}]`;
  };
  const fields = Object.entries(value).map(([name, of]) => `${at}${step}${quote(name)}: ${long(of)},\n`);
  return `{\n${fields.join('')}${at}}`;
}

const plain = name => name;

function curl({ method, path, system, key, body }, origin) {
  return [
    `curl -gs -X ${method} ${quoted(`${origin}/v1${path}`)}`,
    bearer(system),
    `-H ${quoted(`Idempotency-Key: ${key}`)} -H "Content-Type: application/json"`,
    `--data-raw ${quoted(json(body))}`,
  ].join(' \\\n  ');
}

function python({ method, path, system, key, body }, origin) {
  return `import json
import os
import urllib.request

request = urllib.request.Request(
    ${json(`${origin}/v1${path}`)},
    method=${json(method)},
    headers={
        "Authorization": "Bearer " + os.environ["${variableOf(system)}"],
        "Content-Type": "application/json",
        "Idempotency-Key": ${json(key)},
    },
    data=json.dumps(${literal(body, asPython)}).encode(),
)
with urllib.request.urlopen(request) as response:
    print(json.load(response)["data"])
`;
}

function javascript({ method, path, system, key, body }, origin) {
  return `const response = await fetch(${json(`${origin}/v1${path}`)}, {
  method: ${json(method)},
  headers: {
    Authorization: \`Bearer \${process.env.${variableOf(system)}}\`,
    'Content-Type': 'application/json',
    'Idempotency-Key': ${json(key)},
  },
  body: JSON.stringify(${literal(body, { step: '  ', at: '  ', quote: plain, none: 'null' })}),
});
const { data, error } = await response.json();
console.log(error ?? data);
`;
}

// goText is a text as Go writes it: as it is, or escaped where it has a backquote. What JSON
// escapes, Go reads the same way.
const goText = text => (text.includes('`') ? json(text) : `\`${text}\``);

function go({ method, path, system, key, body }, origin) {
  const address = json(`${origin}/v1${path}`);
  return `package main

import (
	"io"
	"log"
	"net/http"
	"os"
	"strings"
)

func main() {
	body := ${goText(json(body, 2))}
	request, err := http.NewRequest(${json(method)}, ${address}, strings.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("${variableOf(system)}"))
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Idempotency-Key", ${json(key)})
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	io.Copy(os.Stdout, response.Body)
}
`;
}

const writers = { curl, python, javascript, go };

// snippet is a request in a language, complete and ready to run.
export const snippet = (language, request, origin = location.origin) => writers[language](request, origin);
