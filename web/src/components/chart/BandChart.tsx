import { type PointerEvent, useId, useState } from 'react';
import { useWidth } from '../../hooks/use-width.ts';
import styles from './BandChart.module.css';
import { ticksWithin } from './ticks.ts';

type BandPoint = { x: number; value: number | null; low: number; high: number };

type BandChartProps = {
  title: string;
  /** What is counted along the horizontal axis, such as `threads`. */
  unit: string;
  /** By x, from the lowest. */
  points: BandPoint[];
  /** Horizontal lines with their names, from the lowest. */
  lines: { at: number; name: string }[];
  format: (value: number) => string;
};

const height = 260;
const edge = { top: 12, right: 16, bottom: 40, left: 64 };

/** A value with the band of its bounds. Early bounds that are far wider than the last ones are cut off. */
export function BandChart({ title, unit, points, lines, format }: BandChartProps) {
  const [place, width] = useWidth<HTMLDivElement>();
  const [at, setAt] = useState<number | null>(null);
  const last = points.at(-1);
  if (!last) return null;
  const [bottom, top] = rangeOf(
    points,
    lines.map(({ at: line }) => line),
  );
  const xMax = Math.max(last.x, 2);
  const inner = { width: Math.max(1, width - edge.left - edge.right), height: height - edge.top - edge.bottom };
  const x = (value: number) => edge.left + (value / xMax) * inner.width;
  const y = (value: number) => edge.top + ((top - value) / (top - bottom)) * inner.height;
  const shown = points[at ?? points.length - 1] ?? last;
  const onMove = ({ clientX, currentTarget }: PointerEvent) => {
    const sought = ((clientX - currentTarget.getBoundingClientRect().left - edge.left) / inner.width) * xMax;
    setAt(nearest(points, sought));
  };
  return (
    <figure className={styles.chart} aria-label={`${title}: ${inWords(last, unit, format)}`}>
      <figcaption className={styles.head}>
        <span className={styles.title}>{title}</span>
        <span className={styles.mean}>mean</span>
        <span className={styles.bounds}>bounds</span>
        <span className={styles.values}>{inWords(shown, unit, format)}</span>
      </figcaption>
      <div ref={place} className={styles.place}>
        <svg width={width} height={height} aria-hidden="true" onPointerMove={onMove} onPointerLeave={() => setAt(null)}>
          <Grid {...{ x, y, xMax, bottom, top, width, unit, format }} />
          <Series points={points} x={x} y={y} inner={inner} />
          {lines.map((line, index) => (
            <g key={line.name}>
              <line className={styles.line} x1={edge.left} x2={width - edge.right} y1={y(line.at)} y2={y(line.at)} />
              <text
                className={styles.name}
                x={width - edge.right}
                y={y(line.at) + (index === 0 ? 14 : -5)}
                textAnchor="end"
              >
                {line.name}
              </text>
            </g>
          ))}
          {at !== null && (
            <line className={styles.cursor} x1={x(shown.x)} x2={x(shown.x)} y1={edge.top} y2={height - edge.bottom} />
          )}
        </svg>
      </div>
    </figure>
  );
}

type Scale = (value: number) => number;
type GridProps = {
  x: Scale;
  y: Scale;
  xMax: number;
  bottom: number;
  top: number;
  width: number;
  unit: string;
  format: (value: number) => string;
};

function Grid({ x, y, xMax, bottom, top, width, unit, format }: GridProps) {
  const columns = ticksWithin(0, xMax, width < 500 ? 4 : 8).filter(Number.isInteger);
  return (
    <>
      {ticksWithin(bottom, top, 5).map((tick) => (
        <g key={tick}>
          <line className={styles.grid} x1={edge.left} x2={width - edge.right} y1={y(tick)} y2={y(tick)} />
          <text className={styles.tick} x={edge.left - 8} y={y(tick) + 4} textAnchor="end">
            {format(tick)}
          </text>
        </g>
      ))}
      {columns.map((tick) => (
        <text key={tick} className={styles.tick} x={x(tick)} y={height - edge.bottom + 16} textAnchor="middle">
          {tick}
        </text>
      ))}
      <text className={styles.tick} x={(edge.left + width - edge.right) / 2} y={height - 6} textAnchor="middle">
        {unit}
      </text>
    </>
  );
}

type SeriesProps = { points: BandPoint[]; x: Scale; y: Scale; inner: { width: number; height: number } };

function Series({ points, x, y, inner }: SeriesProps) {
  const clipId = useId();
  const at = (point: BandPoint, value: number) => `${x(point.x).toFixed(1)},${y(value).toFixed(1)}`;
  const highs = points.map((point) => at(point, point.high));
  const lows = points.map((point) => at(point, point.low));
  const means = points.flatMap((point) => (point.value === null ? [] : [at(point, point.value)]));
  return (
    <>
      <clipPath id={clipId}>
        <rect x={edge.left} y={edge.top} width={inner.width} height={inner.height} />
      </clipPath>
      <g clipPath={`url(#${clipId})`}>
        <polygon className={styles.band} points={[...highs, ...lows.toReversed()].join(' ')} />
        <polyline className={styles.bound} points={highs.join(' ')} />
        <polyline className={styles.bound} points={lows.join(' ')} />
        <polyline className={styles.value} points={means.join(' ')} />
      </g>
    </>
  );
}

/** From the bounds of the second half of the axis, the values and the lines, with some room. */
function rangeOf(points: BandPoint[], lines: number[]): [number, number] {
  const from = points.at(-1)!.x / 2;
  const late = points.filter(({ x }) => x >= from);
  const all = [...lines, ...late.flatMap(({ value, low, high }) => [low, high, value ?? low])];
  const [least, most] = [Math.min(...all), Math.max(...all)];
  const room = (most - least) * 0.06 || 1;
  return [least - room, most + room];
}

function nearest(points: BandPoint[], x: number): number {
  let best = 0;
  for (const [index, point] of points.entries()) {
    if (Math.abs(point.x - x) < Math.abs(points[best]!.x - x)) best = index;
  }
  return best;
}

function inWords({ x, value, low, high }: BandPoint, unit: string, format: (value: number) => string): string {
  const mean = value === null ? '' : `${format(value)}, `;
  return `${mean}between ${format(low)} and ${format(high)} after ${x} ${unit}`;
}
