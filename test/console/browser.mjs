// The parts of a browser that the console's modules touch when they are loaded.
// It is imported before them.
const kept = new Map();

export const storage = {
  getItem: name => kept.get(name) ?? null,
  setItem: (name, text) => kept.set(name, String(text)),
  removeItem: name => kept.delete(name),
};

export const origin = 'http://platen.example';

Object.assign(globalThis, {
  sessionStorage: storage,
  localStorage: storage,
  location: new URL(`${origin}/console`),
  // The console's document says how long an extension is and when it may be asked for.
  document: {
    documentElement: {
      dataset: { extension: '30 minutes', window: '10 minutes', windowS: '600' },
    },
  },
  addEventListener: () => {},
});
Object.defineProperty(globalThis, 'navigator', { value: { onLine: true }, configurable: true });

// A clock that only ticks for the page does not keep the tests from ending.
const { setInterval } = globalThis;
globalThis.setInterval = (...given) => setInterval(...given).unref();

// Nor does a channel to other tabs.
const { BroadcastChannel } = globalThis;
globalThis.BroadcastChannel = class extends BroadcastChannel {
  constructor(name) {
    super(name);
    this.unref();
  }
};
