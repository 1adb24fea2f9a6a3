// Finds a proof of work beside the page, so that the page stays quick, and sends what
// needs one.
import { call, randomKey } from './api.js';

const source = new URL('./proof-worker.js', import.meta.url).href;

// The page's policy lets exactly one file become a worker.
const policy = globalThis.trustedTypes?.createPolicy('platen-worker', {
  createScriptURL: url => {
    if (url !== source) throw new TypeError('not the worker of the proofs');
    return url;
  },
});

// solve resolves to the nonce, as text. told hears how many were tried and how
// many it are in a second. It rejects when the signal aborts.
export function solve(challenge, difficulty, signal, told) {
  return new Promise((resolve, reject) => {
    const worker = new Worker(policy ? policy.createScriptURL(source) : source, { type: 'module' });
    const end = () => {
      worker.terminate();
      signal.removeEventListener('abort', stop);
    };
    const stop = () => {
      end();
      reject(new DOMException('stopped', 'AbortError'));
    };
    signal.addEventListener('abort', stop);
    const began = performance.now();
    worker.onmessage = ({ data }) => {
      if (data.nonce !== undefined) {
        end();
        resolve(data.nonce);
        return;
      }
      told(data.tried, data.tried / ((performance.now() - began) / 1000));
    };
    worker.onerror = event => {
      end();
      reject(new Error(event.message || 'the worker failed'));
    };
    worker.postMessage({ challenge, difficulty });
  });
}

// proven makes a call that makes a sandbox, with a proof of work when one is demanded. The
// same Idempotency-Key goes with each try, so that a lost answer makes no second sandbox.
// demanded hears how hard a proof is, told how it goes, and found that there is one.
export async function proven(path, { demanded, told, found, signal = new AbortController().signal, ...options }) {
  const headers = { 'Idempotency-Key': randomKey() };
  for (;;) {
    try {
      return await call(path, { ...options, method: 'POST', headers, signal });
    } catch (refusal) {
      if (refusal.code !== 'pow_required') throw refusal;
      const { challenge, difficulty } = refusal.details;
      demanded(difficulty);
      const nonce = await solve(challenge, difficulty, signal, told);
      found();
      headers['Sim-PoW'] = `${challenge}.${nonce}`;
    }
  }
}
