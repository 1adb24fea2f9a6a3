// The requests as an HTTP Archive. A key is shown its own bodies only, so the archives of both are put together.
import { call } from '../lib/api.js';
import { anyKey, keyFor } from '../lib/session.js';

// together takes, of each request, the entry of the archive that its own key got: archives by system.
export function together(archives) {
  const [[, first]] = archives;
  const own = new Map();
  for (const [system, archive] of archives)
    for (const entry of archive.log.entries) if (entry._system === system) own.set(entry._request_id, entry);
  return { log: { ...first.log, entries: first.log.entries.map(entry => own.get(entry._request_id) ?? entry) } };
}

// archiveText is the archive of the keys that this tab has.
export async function archiveText() {
  const keys = ['office', 'factory'].map(system => [system, keyFor(system)]).filter(([, key]) => key);
  if (!keys.length) keys.push(['', anyKey()]);
  const archives = [];
  for (const [system, key] of keys) archives.push([system, (await call('/v1/requests.har', { key })).data]);
  return JSON.stringify(together(archives), null, 2);
}
