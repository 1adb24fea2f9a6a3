// Forks, and the sandboxes between which a tab moves: it keeps the keys of those that it
// leaves, so that there is a way back.
import { computed, signal } from '../vendor/preact.js';
import { session, anyKey, moved, nextOf, without } from './session.js';
import { call, Refusal } from './api.js';
import { proven } from './proof.js';
import * as store from './store.js';

// compared is set where players are compared, so that nothing can be tried out in a fork.
export const compared = computed(() => !!store.status.value?.evaluation);

// working names what is being done. Forks and deletions wait for each other.
export const working = signal('');
// proof is how a proof of work goes, null without one.
export const proof = signal(null);
// remains is {id, refusal} of a sandbox that should have been deleted.
export const remains = signal(null);

// fork makes another sandbox of this one as it stood at a point, {checkpoint} or {seq} or
// nothing for now, and goes there.
export async function fork(point) {
  try {
    const { data } = await proven('/v1/sandbox/forks', {
      key: anyKey(),
      body: point,
      demanded: difficulty => {
        proof.value = { difficulty, tried: 0 };
      },
      told: tried => {
        proof.value = { ...proof.value, tried };
      },
      found: () => {
        proof.value = null;
      },
    });
    const { sandbox_id, public_name, office_key, factory_key, forked_from } = data;
    const parent = { ...forked_from, public_name: session.value.public_name };
    const made = { sandbox_id, public_name, office_key, factory_key, forked_from: parent, seen: false };
    store.enter(moved(session.value, made));
  } finally {
    proof.value = null;
  }
}

const destroy = key => call('/v1/sandbox', { method: 'DELETE', key });

// beginAgain forks the first morning and goes there. The old sandbox is deleted once the
// keys of the new one are kept; one that cannot be deleted stays among the others.
export async function beginAgain() {
  const key = anyKey();
  const id = session.value.sandbox_id;
  remains.value = null;
  await fork({ checkpoint: 'start' });
  try {
    await destroy(key);
  } catch (refusal) {
    if (refusal.status !== 401) {
      remains.value = { id, refusal };
      return;
    }
  }
  session.value = without(session.value, id);
}

// remove deletes the sandbox, and goes to the next one of the tab. It resolves to
// whether there is one.
export async function remove() {
  await destroy(anyKey());
  const gone = session.value;
  const next = nextOf(gone);
  store.enter(next ? without(moved(gone, next), gone.sandbox_id) : null);
  return !!next;
}

// visit goes to another sandbox of the tab, if it is still there. It asks in a way that is
// no request of a client, so a clock that waits goes on waiting.
export async function visit(id) {
  const to = session.value.others.find(o => o.sandbox_id === id);
  try {
    await call('/console/data/state', { key: to.office_key ?? to.factory_key });
  } catch (refusal) {
    if (refusal.status !== 401) throw refusal;
    session.value = without(session.value, id);
    throw new Refusal(401, {
      code: refusal.code,
      message: `The sandbox ${id} is gone.`,
      hint: 'It was deleted or has expired. This tab no longer has its keys.',
      docs_url: '/docs/errors/unauthorized',
    });
  }
  store.enter(moved(session.value, to));
}
