import { html } from '../lib/html.js';
import { Feed } from './feed.js';

export const Page = ({ rest }) => html`
  <div class="title">
    <h1>Events</h1>
    <p>
      Every change in the company, live and numbered without gaps, as in <code>GET /v1/events</code>
      , as they happen.
    </p>
  </div>
  <${Feed} limit=${600} tall one=${rest[0]} />
`;
