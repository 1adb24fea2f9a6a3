// The dialog of the read-only link to the page that is open.
import { useEffect, useRef, useState } from '../vendor/preact.js';
import { html, Icon } from '../lib/html.js';
import { path, sharing } from '../lib/navigate.js';
import { Refusal } from '../lib/api.js';
import { Code, Problem, Skeleton, readOnly } from './parts.js';

export function Page() {
  const dialog = useRef();
  const [link, set] = useState('');
  const [refusal, refuse] = useState(null);
  useEffect(() => {
    dialog.current.showModal();
    readOnly(path.value).then(set, e => refuse(e instanceof Refusal ? e : new Refusal(0)));
  }, []);
  const close = () => {
    sharing.value = false;
  };
  return html`
    <dialog class="dialog share" ref=${dialog} aria-labelledby="sharing" onClose=${close}>
      <div class="card-h">
        <h2 id="sharing">Share a read-only link</h2>
        <span class="grow" />
        <button class="btn plain small" onClick=${() => dialog.current.close()}>
          <${Icon} name="x" size=${14} label="Close" />
        </button>
      </div>
      <div class="pad form">
        <p>
          The link opens this page, and leads to the others. Reviewers see both systems, but no keys and no request
          bodies, and cannot change anything. It stops working when the sandbox ends or a key is revoked.
        </p>
        ${refusal ? html`<${Problem} refusal=${refusal} />` : null}
        ${link ? html`<${Code} what="read-only link" text=${link} />` : null}
        ${link || refusal ? null : html`<${Skeleton} width="100%" />`}
      </div>
    </dialog>
  `;
}
