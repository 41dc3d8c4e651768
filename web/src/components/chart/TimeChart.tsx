import 'uplot/dist/uPlot.min.css';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import { formatClock, formatExact } from '../../format/time.ts';
import { useIsDark } from '../../hooks/use-theme.ts';
import { axis } from './axis.ts';
import styles from './TimeChart.module.css';
import { tokenColor } from './token-color.ts';

export type ChartSeries = {
  name: string;
  values: (number | null)[];
  /** A token of `tokens.css`, such as `--series-1`. */
  color: string;
  kind?: 'line' | 'bars';
};

type TimeChartProps = {
  title: string;
  /** In words, for screen readers, such as the sum. */
  summary: string;
  /** Seconds since 1970, the start of each bucket. */
  times: number[];
  series: ChartSeries[];
  format: (value: number) => string;
  height?: number;
  /** Called with the seconds that the user has marked by dragging. */
  onSelect?: (from: number, to: number) => void;
};

/** Values over time. Dragging marks a range; the values under the pointer are shown beside the title. */
export function TimeChart({ title, summary, times, series, format, height = 76, onSelect }: TimeChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const legend = useRef<HTMLSpanElement>(null);
  const isDark = useIsDark();
  const select = useRef(onSelect);
  select.current = onSelect;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours depend on the theme
  useEffect(() => {
    const element = place.current!;
    const describe = (index: number | null | undefined) => {
      const values = series.flatMap(({ name, values }) => {
        const value = index == null ? null : values[index];
        return value == null ? [] : [`${name} ${format(value)}`];
      });
      legend.current!.textContent =
        index == null ? summary : `${formatExact(new Date(times[index]! * 1000)).slice(0, 16)} · ${values.join(' · ')}`;
    };
    describe(null);
    const chart = new uPlot(
      {
        width: element.clientWidth,
        height,
        legend: { show: false },
        cursor: { y: false, points: { size: 5 }, drag: { x: select.current !== undefined, y: false, setScale: false } },
        scales: { x: { time: true }, y: { range: (_, _min, max) => [0, roundUp(max)] } },
        axes: [
          {
            ...axis(),
            values: (_, ticks) => ticks.map((tick) => timeLabel(tick, times.at(-1)! - times[0]!)),
            space: 70,
          },
          { ...axis(), size: 56, splits: (_u, _i, _min, max) => [0, max], values: (_, ticks) => ticks.map(format) },
        ],
        series: [{}, ...series.map(seriesOptions)],
        hooks: {
          setCursor: [({ cursor }) => describe(cursor.idx)],
          setSelect: [
            (each) => {
              if (each.select.width < 4) return;
              const from = each.posToVal(each.select.left, 'x');
              const to = each.posToVal(each.select.left + each.select.width, 'x');
              each.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
              select.current?.(from, to);
            },
          ],
        },
      },
      [times, ...series.map(({ values }) => values)],
      element,
    );
    const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      chart.destroy();
    };
  }, [times, series, summary, height, isDark, format]);
  return (
    <figure className={styles.chart} aria-label={`${title}: ${summary}`}>
      <figcaption className={styles.head}>
        <span className={styles.title}>{title}</span>
        <span ref={legend} className={styles.legend} />
      </figcaption>
      <div ref={place} className={styles.place} style={{ height }} aria-hidden="true" />
    </figure>
  );
}

function seriesOptions({ name, color, kind = 'line' }: ChartSeries): uPlot.Series {
  const stroke = tokenColor(color);
  if (kind === 'line')
    return { label: name, stroke, width: 1.5, spanGaps: true, points: { show: isAlone, size: 5, fill: stroke } };
  return {
    label: name,
    stroke,
    fill: stroke,
    width: 0,
    paths: uPlot.paths.bars!({ size: [0.8, 24, 1] }),
    points: { show: false },
  };
}

/** A single value is marked, as there is no line to it. */
function isAlone({ data }: uPlot, series: number): boolean {
  return Array.from(data[series]!).filter((value) => value !== null).length === 1;
}

/** 1, 2 or 5 times a power of ten: the top of the scale, which has a label. */
function roundUp(value: number): number {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= value)!;
}

function timeLabel(seconds: number, lengthSeconds: number): string {
  const time = new Date(seconds * 1000);
  const isDay = lengthSeconds > 2 * 86_400;
  return isDay ? time.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' }) : formatClock(time).slice(0, 5);
}
