// What a page asks for while it shows it: it is no part of the state that the stream keeps up to
// date.
import { useEffect, useRef, useState } from '../vendor/preact.js';
import { Refusal, call } from '../lib/api.js';
import * as store from '../lib/store.js';

// useAsked reads a route of the console, or with a key one of the API, at once and whenever the
// stamp changes, but rests for a pause in ms between two reads. It returns what was read last and,
// if the last read failed, why.
export function useAsked(path, stamp, pause, key) {
  const [told, tell] = useState({ data: null, refusal: null });
  const own = useRef({ last: -Infinity, control: new AbortController() }).current;
  const ask = async () => {
    own.last = performance.now();
    try {
      const { signal } = own.control;
      const { data } = await (key ? call(path, { key, signal }) : store.ask(path, signal));
      tell({ data, refusal: null });
    } catch (e) {
      if (!own.control.signal.aborted)
        tell(before => ({ ...before, refusal: e instanceof Refusal ? e : new Refusal(0) }));
    }
  };
  useEffect(() => {
    const timer = setTimeout(ask, Math.max(0, own.last + pause - performance.now()));
    return () => clearTimeout(timer);
  }, [path, stamp]);
  useEffect(() => () => own.control.abort(), []);
  return { ...told, ask };
}
