// How programs come in: curl, the client, an agent, the command line.
import { signal } from '../vendor/preact.js';
import { html, Icon } from '../lib/html.js';
import { exportsOf, masked, session } from '../lib/session.js';
import { bearer } from '../lib/format.js';
import { Code } from './parts.js';

const tab = signal('curl');
const origin = location.origin;
// keyLines are the lines that export the keys of this tab: shown masked, copied whole.
const keyLines = Symbol('key lines');
const noKeys = { office_key: 'lab_off_…', factory_key: 'lab_fac_…' };

const snippets = {
  curl: [
    'curl',
    'terminal',
    [
      ['Keys in the environment', keyLines],
      [
        'Follow the feed',
        [
          'after=0',
          `while page=$(curl -s "$PLATEN_URL/events/poll?after_seq=$after&wait_s=20" ${bearer('office')}); do`,
          `  echo "$page" | jq -r '.data.items[] | "\\(.seq) \\(.type) \\(.links.self)"'`,
          `  after=$(echo "$page" | jq '.data.items[-1].seq // '$after)`,
          'done',
        ].join('\n'),
      ],
    ],
  ],
  go: [
    'Go',
    'braces',
    [
      [
        'A typed client that retries safely',
        `package main

import (
	"context"
	"fmt"
	"os"

	"platen/client"
)

func main() {
	api := client.New(os.Getenv("PLATEN_URL"), client.Keys{
		Office: os.Getenv("PLATEN_OFFICE_KEY"), Factory: os.Getenv("PLATEN_FACTORY_KEY"),
	})
	for order, err := range api.SalesOrders(context.Background(), client.ListSalesOrdersParams{Status: "received"}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(order.Number, order.CustomerName)
	}
}`,
      ],
    ],
  ],
  javascript: [
    'JavaScript',
    'braces',
    [
      ['From a clone of the repository', 'npm install ./clients/javascript'],
      [
        'Follow the feed, with a checkpoint that survives restarts',
        [
          "import { Client } from 'platen';",
          "import { fileCheckpoint } from 'platen/checkpoint';",
          '',
          'const { PLATEN_URL, PLATEN_OFFICE_KEY: office, PLATEN_FACTORY_KEY: factory } = process.env;',
          'const client = new Client(PLATEN_URL, { office, factory });',
          "for await (const event of client.events({ checkpoint: fileCheckpoint('feed.seq') })) {",
          '  console.log(event.seq, event.type, event.links.self);',
          '}',
        ].join('\n'),
      ],
    ],
  ],
  python: [
    'Python',
    'braces',
    [
      ['From a clone of the repository', 'pip install ./clients/python'],
      [
        'Follow the feed, with a checkpoint that survives restarts',
        [
          'import os',
          '',
          'import platen',
          '',
          'keys = platen.Keys(os.environ["PLATEN_OFFICE_KEY"], os.environ["PLATEN_FACTORY_KEY"])',
          'client = platen.Client(os.environ["PLATEN_URL"], keys)',
          'for event in client.events(checkpoint=platen.FileCheckpoint("feed.seq")):',
          '    print(event["seq"], event["type"], event["links"]["self"])',
        ].join('\n'),
      ],
    ],
  ],
  agent: [
    'Agents',
    'cpu',
    [
      [
        'An agent that speaks MCP over Streamable HTTP',
        JSON.stringify(
          {
            mcpServers: {
              // biome-ignore lint/suspicious/noTemplateCurlyInString: the agent's program fills it in, not this page.
              platen: { type: 'http', url: `${origin}/mcp`, headers: { Authorization: 'Bearer ${PLATEN_OFFICE_KEY}' } },
            },
          },
          null,
          2,
        ),
      ],
    ],
  ],
  cli: [
    'Command line',
    'command',
    [
      [
        'Receive events on a local port, without a public URL',
        `platen listen --forward-to http://127.0.0.1:3000/hooks`,
      ],
      ['See a whole order first', `platen demo --server ${origin}`],
    ],
  ],
};

export function Page() {
  const [, , list] = snippets[tab.value];
  const s = session.value ?? noKeys;
  const shown = session.value ? masked : undefined;
  return html`
    <div class="title">
      <h1>Connect</h1>
      <p>Connect a program. The snippets read your keys from the environment, so they are safe to share.</p>
    </div>
    <div class="seg wide-seg" role="group" aria-label="How">
      ${Object.entries(snippets).map(
        ([id, [name, icon]]) => html`
          <button
            aria-pressed=${tab.value === id}
            onClick=${() => {
              tab.value = id;
            }}
          >
            <${Icon} name=${icon} size=${14} />
            ${name}
          </button>
        `,
      )}
    </div>
    <section class="card pad-all">
      ${list.map(
        ([title, text]) => html`
          <div class="snippet">
            <h2>${title}</h2>
            ${
              text === keyLines
                ? html`<${Code} text=${exportsOf(s)} what=${title}>${exportsOf(s, shown)}<//>`
                : html`<${Code} text=${text} what=${title} />`
            }
          </div>
        `,
      )}
    </section>
    <dl class="facts card pad-facts">
      <div><dt>Base URL</dt><dd><code>${origin}/v1</code></dd></div>
      <div><dt>Agents</dt><dd><code>${origin}/mcp</code></dd></div>
      <div>
        <dt>OpenAPI</dt>
        <dd><a href="/openapi.json"><code>/openapi.json</code></a></dd>
      </div>
      <div>
        <dt>Postman</dt>
        <dd><a href="/postman.json"><code>/postman.json</code></a></dd>
      </div>
      <div>
        <dt>Keys</dt>
        <dd>${session.value ? html`<a href="/console/keys">show them</a>` : html`<a href="/">create a sandbox</a>`}</dd>
      </div>
    </dl>
  `;
}
