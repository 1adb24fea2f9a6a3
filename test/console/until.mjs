import { effect } from '../../internal/publish/web/static/vendor/preact.js';

// until resolves when a claim about signals holds.
export function until(holds) {
  return new Promise(resolve => {
    let end;
    end = effect(() => {
      if (holds()) queueMicrotask(() => resolve(end()));
    });
  });
}
