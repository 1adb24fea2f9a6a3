// Charts of the series: one point for each half day, and the present moment.
import { signal, useEffect, useRef } from '../vendor/preact.js';
import uPlot from '../vendor/uplot.js';
import { html } from '../lib/html.js';
import { theme } from '../lib/session.js';
import * as store from '../lib/store.js';
import { day, number, roundMoney } from '../lib/format.js';
import { Skeleton } from './parts.js';

// A custom property that holds light-dark() reads back unresolved; the colour of
// an element does not.
const probe = document.createElement('i');
probe.hidden = true;
document.documentElement.append(probe);
const colour = name => {
  probe.style.color = `var(${name})`;
  return getComputedStyle(probe).color;
};
const fade = (c, alpha) =>
  c.replace(/^oklch\(([^/)]+).*\)$/, `oklch($1 / ${alpha})`).replace(/^rgb\(([^)]+)\)$/, `rgb($1 / ${alpha})`);

const system = matchMedia('(prefers-color-scheme: dark)');
const repaint = signal(0);
system.addEventListener('change', () => {
  repaint.value++;
});

function options({ width, height, label, format, stepped, floor, name, days, marks }) {
  const ink = colour('--ink-3');
  const grid = colour('--line');
  const line = colour(name);
  return {
    width,
    height,
    padding: [10, 6, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { size: 7, fill: line, stroke: colour('--surface'), width: 2 } },
    scales: {
      x: { time: false },
      y: {
        range: (_, min, max) => {
          const levels = marks().map(m => m.value);
          const low = floor ?? Math.min(min, ...levels);
          const high = Math.max(max, ...levels);
          const gap = (high - low || Math.abs(high) || 1) * 0.14;
          return [floor ?? low - gap, high + gap];
        },
      },
    },
    axes: [
      {
        stroke: ink,
        font: '11px Geist, sans-serif',
        grid: { show: false },
        ticks: { show: false },
        size: 26,
        space: 70,
        incrs: [1, 2, 4, 6, 10, 20, 40, 80],
        values: (_, at) => at.map(x => (Number.isInteger(x) && x % 2 === 0 ? days(x) : '')),
      },
      {
        stroke: ink,
        font: '11px Geist, sans-serif',
        grid: { stroke: grid, width: 1 },
        ticks: { show: false },
        size: 54,
        space: 34,
        values: (_, at) => at.map(format),
      },
    ],
    series: [
      {},
      {
        label,
        stroke: line,
        width: 1.75,
        paths: stepped ? uPlot.paths.stepped({ align: 1 }) : undefined,
        points: { show: false },
        fill: u => {
          const g = u.ctx.createLinearGradient(0, u.bbox.top, 0, u.bbox.top + u.bbox.height);
          g.addColorStop(0, fade(line, 0.2));
          g.addColorStop(1, fade(line, 0));
          return g;
        },
      },
    ],
  };
}

// mark draws a level that matters across the plot, with its name at the left.
function mark(u, { value, label, name }) {
  const { ctx, bbox } = u;
  const y = Math.round(u.valToPos(value, 'y', true));
  const ratio = devicePixelRatio || 1;
  ctx.save();
  ctx.strokeStyle = colour(name);
  ctx.fillStyle = colour(name);
  ctx.lineWidth = ratio;
  ctx.setLineDash([5 * ratio, 4 * ratio]);
  ctx.beginPath();
  ctx.moveTo(bbox.left, y);
  ctx.lineTo(bbox.left + bbox.width, y);
  ctx.stroke();
  ctx.font = `${11 * ratio}px Geist, sans-serif`;
  ctx.textAlign = 'left';
  // The line itself may run where the name would be.
  const begin = u.data[1].slice(0, Math.ceil(u.data[1].length / 2)).map(v => y - u.valToPos(v, 'y', true));
  const taken = begin.some(above => above > 0 && above < 16 * ratio) && !begin.some(above => above < 0);
  const under = value < 0 || y - bbox.top < 16 * ratio || taken;
  ctx.textBaseline = under ? 'top' : 'bottom';
  const at = [label, bbox.left + 4 * ratio, y + (under ? 3 : -2) * ratio];
  ctx.setLineDash([]);
  ctx.lineWidth = 4 * ratio;
  ctx.lineJoin = 'round';
  ctx.strokeStyle = colour('--surface');
  ctx.strokeText(...at);
  ctx.fillText(...at);
  ctx.restore();
}

// under says what the cursor is on: one of the half days, or the present.
const under = ({ points, format }, value, i) =>
  i == null ? '' : `${format(value)} · ${points[i]?.sim_time.replace('T', ' ') ?? 'now'}`;

// dayOf is the day that begins at a half day: it does where those of the one
// before it have ended.
function dayOf(points, x) {
  const from = points[x + 1] ?? (x === 0 ? points[0] : undefined);
  return from ? day(from.sim_time.slice(0, 10)) : '';
}

// series are the half days and their values, with live as the newest.
function series(points, pick, live) {
  const ys = points.map(pick);
  if (live != null) ys.push(live);
  if (ys.length === 1) ys.push(ys[0]);
  return [ys.map((_, i) => i), ys];
}

const none = [];

// Chart draws pick(point) over the half days, and live as the newest value. marks are levels to
// compare it with: {value, label, name}, the last a custom property with a colour.
export function Chart({ points, live, pick, label, format, name, stepped = false, floor, marks = none, height = 168 }) {
  const box = useRef();
  const plot = useRef();
  const said = useRef();
  const latest = useRef();
  latest.current = { points, format, marks };
  const data = series(points, pick, live);
  const newest = data[1].at(-1);
  useEffect(() => {
    const setCursor = u => {
      said.current.textContent = under(latest.current, u.data[1][u.cursor.idx], u.cursor.idx);
    };
    const make = () => {
      if (!box.current) return; // the page was left meanwhile
      plot.current?.destroy();
      const width = box.current.clientWidth;
      const days = x => dayOf(latest.current.points, x);
      const levels = () => latest.current.marks;
      const drawn = options({ width, height, label, format, stepped, floor, name, days, marks: levels });
      const draw = u => {
        for (const m of levels()) mark(u, m);
      };
      const hooks = { setCursor: [setCursor], draw: [draw] };
      plot.current = new uPlot({ ...drawn, hooks }, plot.current?.data ?? data, box.current);
    };
    make();
    const resize = new ResizeObserver(() => {
      if (box.current?.clientWidth) plot.current.setSize({ width: box.current.clientWidth, height });
    });
    resize.observe(box.current);
    const undo = [
      theme.subscribe(() => requestAnimationFrame(make)),
      repaint.subscribe(() => requestAnimationFrame(make)),
    ];
    return () => {
      resize.disconnect();
      for (const end of undo) end();
      plot.current.destroy();
      plot.current = null;
    };
  }, []);
  useEffect(() => {
    plot.current?.setData(data);
  }, [points.length, newest, ...marks.map(m => m.value)]);
  return html`
    <div class="chart">
      <span class="chart-tip num" ref=${said} />
      <div
        ref=${box}
        role="img"
        aria-label=${[
          `${label}: ${format(newest ?? 0)} now, ${points.length} half days`,
          ...marks.map(m => `${m.label} ${format(m.value)}`),
        ].join('; ')}
        style=${{ minHeight: `${height}px` }}
      />
    </div>
  `;
}

// The charts of the overview.

const Plot = ({ title, choice, loading, below = null, ...drawn }) => html`
  <section class="card">
    <div class="card-h">${choice ?? html`<h2>${title}</h2>`}</div>
    ${store.status.value ? html`<${Chart} points=${store.points.value} label=${title} stepped ...${drawn} />` : loading}
    ${below}
  </section>
`;

// charted is the material whose stock is drawn.
const charted = signal('mat_coated');

function MaterialPlot({ s }) {
  const all = s?.inventory.materials ?? [];
  const material = all.find(m => m.sku === charted.value);
  const choose = e => {
    charted.value = e.target.value;
  };
  const choice = html`
    <h2 class="vh">Stock</h2>
    <label class="charted">
      <span class="vh">Material in the chart</span>
      <select id="charted" onChange=${choose}>
        ${all.map(m => html`<option value=${m.sku} selected=${m.sku === charted.value}>${m.name}</option>`)}
      </select>
    </label>
  `;
  return html`
    <${Plot}
      key=${charted.value}
      title=${material?.name ?? 'Stock'}
      choice=${choice}
      name="--magenta"
      live=${material?.on_hand}
      pick=${p => p.stock[charted.value] ?? 0}
      format=${number}
      floor=${0}
      marks=${material ? [{ value: material.reorder_point, label: 'reorder point', name: '--amber' }] : []}
      height=${128}
    />
  `;
}

const thousands = minor => (minor ? `${roundMoney(minor / 1000)}k` : '0');

export function Plots({ below }) {
  const s = store.status.value;
  const presses = s ? s.presses.idle + s.presses.running + s.presses.down : 2;
  return html`
    <${Plot}
      title="Cash"
      name="--cyan"
      live=${s?.cash_minor}
      pick=${p => p.cash_minor}
      format=${thousands}
      marks=${
        s
          ? [
              { value: 0, label: '', name: '--line-2' },
              { value: -s.overdraft_limit_minor, label: 'overdraft limit', name: '--red' },
            ]
          : []
      }
      loading=${html`<div class="pad"><${Skeleton} width="100%" /></div>`}
      below=${below}
    />
    <div class="pair">
      <${MaterialPlot} s=${s} />
      <${Plot}
        title="Presses running"
        name="--magenta"
        live=${s?.presses.running}
        pick=${p => p.presses_running}
        format=${v => (Number.isInteger(v) ? v : '')}
        floor=${0}
        marks=${[{ value: presses, label: 'all presses', name: '--ink-3' }]}
        height=${128}
      />
    </div>
  `;
}
