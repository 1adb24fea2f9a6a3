import { html } from '../lib/html.js';
import { go } from '../lib/navigate.js';
import { Feed } from './feed.js';

const open = id => go(`/console/events${id && `/${id}`}`, true);

export const Page = ({ rest: [one] }) => html`
  <div class="title">
    <h1>Events</h1>
    <p>Every change in the company, live and numbered without gaps, as in <code>GET /v1/events</code>.</p>
  </div>
  <${Feed} limit=${600} tall one=${one} open=${open} />
`;
