import { html } from '../lib/html.js';
import { Feed } from './feed.js';

export const Page = ({ rest }) => html`
  <div class="title">
    <h1>Events</h1>
    <p>
      Every change of the company, numbered without gaps: the same rows as <code>GET /v1/events</code>
      , as they happen.
    </p>
  </div>
  <${Feed} limit=${600} tall one=${rest[0]} />
`;
