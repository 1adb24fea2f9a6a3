// Copies what the console uses of npm packages to where the server serves it.
// Run by `make vendor`.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import subset from 'subset-font';

const here = dirname(fileURLToPath(import.meta.url));
const packages = join(here, 'node_modules');
const target = join(here, '../../../internal/publish/web/static/vendor');
const tests = join(here, '../../../test/browser/testdata');

const read = file => readFileSync(join(packages, file));

// One module of five packages: each file would be a request of its own.
const library = `
export { h, render, Fragment } from 'preact';
export { useState, useEffect, useLayoutEffect, useRef, useMemo } from 'preact/hooks';
export { signal, computed, effect, batch, untracked } from '@preact/signals';
export { default as htm } from 'htm';
`;

// The icons of the sprite. Everything else of the set stays where it is.
const icons = `activity arrow-left arrow-left-right arrow-right ban banknote book-open boxes braces calendar check chevron-down
 chevron-right circle circle-alert circle-check circle-dashed circle-help circle-x clock cloud-off command copy cpu download
 external-link factory file-text filter gauge git-compare hash hourglass inbox key-round keyboard landmark layers
 layout-dashboard link link-2-off list-checks lock log-out menu monitor moon package pause play plug plus power printer
 radio receipt refresh-cw rotate-cw route scroll-text search send server shield-check shopping-cart sun target terminal
 trash-2 triangle-alert truck unplug users wallet webhook x zap`.split(/\s+/);

// The fonts keep all of their characters, and the weights that the pages use: that saves a third of their bytes.
const weights = { wght: { min: 400, max: 700 } };
const latin = [
  [0x20, 0x7e], [0xa0, 0xff], [0x131, 0x131], [0x152, 0x153], [0x2bb, 0x2bc], [0x2c6, 0x2c6], [0x2da, 0x2da],
  [0x2dc, 0x2dc], [0x304, 0x304], [0x308, 0x308], [0x329, 0x329], [0x2000, 0x206f], [0x20ac, 0x20ac],
  [0x2122, 0x2122], [0x2191, 0x2191], [0x2193, 0x2193], [0x2212, 0x2212], [0x2215, 0x2215], [0xfeff, 0xfeff],
  [0xfffd, 0xfffd],
].map(([from, to]) => Array.from({ length: to - from + 1 }, (_, i) => String.fromCodePoint(from + i)).join('')).join('');

function sprite() {
  const symbols = icons.map(name => {
    let svg;
    try { svg = read(`lucide-static/icons/${name}.svg`).toString(); } catch { throw new Error(`no icon ${name}`); }
    const inside = svg.slice(svg.indexOf('>', svg.indexOf('<svg')) + 1, svg.lastIndexOf('</svg>')).replace(/\s*\n\s*/g, '');
    return `<symbol id="${name}" viewBox="0 0 24 24">${inside}</symbol>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg">\n${symbols.join('\n')}\n</svg>\n`;
}

rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
mkdirSync(tests, { recursive: true });
await build({
  stdin: { contents: library, resolveDir: here }, outfile: join(target, 'preact.js'),
  bundle: true, format: 'esm', target: 'es2022', minify: true, legalComments: 'none', logLevel: 'warning',
});
writeFileSync(join(target, 'uplot.js'), `${read('uplot/dist/uPlot.iife.min.js').toString().trim()}\nexport default uPlot;\n`);
for (const name of ['geist', 'geist-mono']) {
  const font = read(`@fontsource-variable/${name}/files/${name}-latin-wght-normal.woff2`);
  writeFileSync(join(target, `${name}.woff2`), await subset(font, latin, { targetFormat: 'woff2', variationAxes: weights }));
}
writeFileSync(join(target, 'icons.svg'), sprite());

const { dependencies } = JSON.parse(readFileSync(join(here, 'package.json')));
const versions = [];
for (const [name, version] of Object.entries(dependencies)) {
  const { license } = JSON.parse(read(`${name}/package.json`));
  if (['axe-core', 'esbuild', 'subset-font'].includes(name)) continue; // no part of the program
  const file = `LICENSE.${name.replace(/^@/, '').replace('/', '-')}.txt`;
  writeFileSync(join(target, file), read(`${name}/LICENSE`));
  versions.push(`${name} ${version} ${license} ${file}`);
}
writeFileSync(join(target, 'VERSIONS.txt'), `What is in this folder comes from npm: preact.js is a bundle of preact, htm and signals, the fonts have the weights from 400 to 700, the rest is unchanged.\nWritten by make vendor: package, version, licence, its text.\n\n${versions.join('\n')}\n`);
writeFileSync(join(tests, 'axe.min.js'), read('axe-core/axe.min.js'));
writeFileSync(join(tests, 'LICENSE.axe-core.txt'), read('axe-core/LICENSE'));
