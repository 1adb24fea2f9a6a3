// Charts of the series: one point for each half day, and the present moment.
import { useEffect, useRef, signal } from '../vendor/preact.js';
import uPlot from '../vendor/uplot.js';
import { html } from '../lib/html.js';
import { theme } from '../lib/session.js';
import { day } from '../lib/format.js';

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

function options({ width, height, label, format, stepped, floor, ceiling, name, days }) {
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
          const low = floor ?? min;
          const high = Math.max(max, ceiling ?? max);
          const gap = (high - low || Math.abs(high) || 1) * 0.12;
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

// Chart draws pick(point) over the half days, and live as the newest value.
export function Chart({ points, live, pick, label, format, name, stepped = false, floor, ceiling, height = 168 }) {
  const box = useRef();
  const plot = useRef();
  const said = useRef();
  // Day begins where the half days of the one before it have ended.
  const days = x =>
    points[x + 1]
      ? day(points[x + 1].sim_time.slice(0, 10))
      : x === 0 && points[0]
        ? day(points[0].sim_time.slice(0, 10))
        : '';
  const latest = useRef();
  latest.current = { points, days, format };
  const xs = points.map((_, i) => i);
  const ys = points.map(pick);
  if (live != null) {
    xs.push(points.length);
    ys.push(live);
  }
  if (xs.length === 1) {
    xs.push(1);
    ys.push(ys[0]);
  }
  const data = [xs, ys];
  useEffect(() => {
    const make = () => {
      if (!box.current) return; // the page was left meanwhile
      plot.current?.destroy();
      plot.current = new uPlot(
        {
          ...options({
            width: box.current.clientWidth,
            height,
            label,
            format,
            stepped,
            floor,
            ceiling,
            name,
            days: x => latest.current.days(x),
          }),
          hooks: {
            setCursor: [
              u => {
                const i = u.cursor.idx;
                const at = latest.current;
                said.current.textContent =
                  i == null ? '' : `${at.format(u.data[1][i])} · ${at.points[i]?.sim_time.replace('T', ' ') ?? 'now'}`;
              },
            ],
          },
        },
        plot.current?.data ?? data,
        box.current,
      );
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
  }, [points.length, ys.at(-1)]);
  return html`
    <div class="chart">
      <span class="chart-tip num" ref=${said} />
      <div
        ref=${box}
        role="img"
        aria-label=${`${label}: ${format(ys.at(-1) ?? 0)} now, ${points.length} half days`}
        style=${{ minHeight: `${height}px` }}
      />
    </div>
  `;
}
