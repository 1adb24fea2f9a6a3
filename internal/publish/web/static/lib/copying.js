// textOf is the text of the code in a block, with whole keys where masked ones are shown.
const textOf = block =>
  [...block.querySelectorAll('code')]
    .flatMap(code => [...code.childNodes])
    .map(node => node.dataset?.text ?? node.textContent)
    .join('');

// offerCopy adds a copy button to each of some blocks.
export function offerCopy(blocks) {
  for (const block of blocks) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.addEventListener('click', async () => {
      const { copy } = await import('./html.js');
      button.textContent = (await copy(textOf(block), 'Code')) ? 'Copied' : 'Press Ctrl+C';
      setTimeout(() => {
        button.textContent = 'Copy';
      }, 1600);
    });
    block.append(button);
  }
}
