import 'uplot/dist/uPlot.min.css';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import { formatNumber } from '../../format/numbers.ts';
import { useIsDark } from '../../hooks/use-theme.ts';
import { axis } from './axis.ts';
import styles from './StepChart.module.css';
import { tickLabels } from './tick-labels.ts';
import { tokenColor } from './token-color.ts';

export type StepSeries = { name: string; values: (number | null)[] };

type StepChartProps = {
  title: string;
  steps: number[];
  /** One or two; the second, such as what is held out, is dashed. */
  series: StepSeries[];
  /** Charts of one group point at the same step. */
  group: string;
};

const height = 132;

/** Values by training step, which may grow. The last values, or those under the pointer, are shown beside the title. */
export function StepChart({ title, steps, series, group }: StepChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const legend = useRef<HTMLSpanElement>(null);
  const chart = useRef<uPlot | null>(null);
  const shown = useRef({ steps, series });
  shown.current = { steps, series };
  const isDark = useIsDark();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours depend on the theme; new values are set below
  useEffect(() => {
    const element = place.current!;
    const describe = (index: number | null | undefined) => {
      legend.current!.textContent = valuesAt(shown.current.steps, shown.current.series, index);
    };
    chart.current = new uPlot(
      {
        width: element.clientWidth,
        height,
        legend: { show: false },
        cursor: { y: false, points: { size: 6 }, drag: { x: false, y: false }, sync: { key: group } },
        scales: {
          x: { time: false, range: (_, min, max) => (min === max ? [min - 1, max + 1] : [min, max]) },
          y: { range: (_, min, max) => (min === 0 && max === 0 ? [0, 1] : uPlot.rangeNum(min, max, 0.1, true)) },
        },
        axes: [
          { ...axis(), incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 100_000] },
          { ...axis(), size: 60, values: (_, ticks) => tickLabels(ticks) },
        ],
        series: [{}, ...series.map(({ name }, index) => seriesOptions(name, index))],
        hooks: { setCursor: [({ cursor }) => describe(cursor.idx)] },
      },
      dataOf(shown.current),
      element,
    );
    describe(null);
    const observer = new ResizeObserver(() => chart.current?.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      chart.current?.destroy();
      chart.current = null;
    };
  }, [group, isDark, series.length]);
  useEffect(() => {
    chart.current?.setData(dataOf({ steps, series }));
    legend.current!.textContent = valuesAt(steps, series, chart.current?.cursor.idx);
  }, [steps, series]);
  return (
    <figure className={styles.chart} aria-label={`${title}: ${inWords(steps, series)}`}>
      <figcaption className={styles.head}>
        <span className={styles.title}>{title}</span>
        {series.length > 1 &&
          series.map(({ name }) => (
            <span key={name} className={styles.name}>
              {name}
            </span>
          ))}
        <span ref={legend} className={styles.values} />
      </figcaption>
      <div ref={place} className={styles.place} aria-hidden="true" />
    </figure>
  );
}

function dataOf({ steps, series }: { steps: number[]; series: StepSeries[] }): uPlot.AlignedData {
  return [steps, ...series.map(({ values }) => values)];
}

/** Without an index: the last value of each series. */
function valuesAt(steps: number[], series: StepSeries[], index: number | null | undefined): string {
  const values = series.flatMap(({ values }) => {
    const value = index == null ? values.findLast((each) => each !== null) : values[index];
    return value == null ? [] : [formatNumber(value)];
  });
  const prefix = index == null || steps[index] === undefined ? 'last' : `step ${steps[index]}`;
  return values.length === 0 ? '' : `${prefix} · ${values.join(' · ')}`;
}

function inWords(steps: number[], series: StepSeries[]): string {
  const parts = series.flatMap(({ name, values }) => {
    const present = values.filter((value) => value !== null);
    if (present.length === 0) return [];
    return [`${name} from ${formatNumber(present[0]!)} to ${formatNumber(present.at(-1)!)}`];
  });
  return `${steps.length} ${steps.length === 1 ? 'step' : 'steps'}, ${parts.join(', ')}`;
}

/** Few values are marked each: a line between two of them, or none, would say little. */
const markedMax = 30;

function seriesOptions(label: string, index: number): uPlot.Series {
  const stroke = tokenColor(`--series-${index + 1}`);
  const show = ({ data }: uPlot, of: number) =>
    Array.from(data[of]!).filter((value) => value !== null).length < markedMax;
  const dash = index === 0 ? {} : { dash: [5, 4] };
  return { label, stroke, width: 1.5, ...dash, spanGaps: true, points: { show, size: 5, fill: stroke } };
}
