import { useWidth } from '../../hooks/use-width.ts';
import styles from './StackedSteps.module.css';

type StackedStepsProps = {
  title: string;
  names: string[];
  /** Shares of the names from a time on, in milliseconds since 1970; the oldest first. */
  steps: { at: number; shares: number[] }[];
  /** Where the last shares end. */
  until: number;
  formatTime: (ms: number) => string;
};

const height = 150;
const edge = { top: 8, right: 12, bottom: 22, left: 44 };

/** Shares of a whole over time, one above the other, which change in steps. */
export function StackedSteps({ title, names, steps, until, formatTime }: StackedStepsProps) {
  const [place, width] = useWidth<HTMLDivElement>();
  const [first, last] = [steps[0], steps.at(-1)];
  if (!first || !last) return null;
  const span = Math.max(1, until - first.at);
  const inner = { width: Math.max(1, width - edge.left - edge.right), height: height - edge.top - edge.bottom };
  const x = (at: number) => edge.left + ((at - first.at) / span) * inner.width;
  const y = (share: number) => edge.top + (1 - share) * inner.height;
  const ends = steps.map((_, index) => steps[index + 1]?.at ?? until);
  return (
    <figure className={styles.chart} aria-label={`${title}: ${inWords(names, first.shares, last.shares)}`}>
      <figcaption className={styles.head}>
        <span className={styles.title}>{title}</span>
        {names.map((name, index) => (
          <span key={name} className={styles.name}>
            {name} {percent(last.shares[index]!)}
          </span>
        ))}
      </figcaption>
      <div ref={place} className={styles.place}>
        <svg width={width} height={height} aria-hidden="true">
          {names.map((name, index) => (
            <polygon
              key={name}
              className={styles.area}
              points={steps
                .flatMap(({ at, shares }, step) => [at, ends[step]!].map((time) => [time, below(shares, index + 1)]))
                .concat(
                  steps
                    .flatMap(({ at, shares }, step) => [at, ends[step]!].map((time) => [time, below(shares, index)]))
                    .reverse(),
                )
                .map(([time, share]) => `${x(time!).toFixed(1)},${y(share!).toFixed(1)}`)
                .join(' ')}
            />
          ))}
          {[0, 0.5, 1].map((share) => (
            <text key={share} className={styles.tick} x={edge.left - 8} y={y(share) + 4} textAnchor="end">
              {percent(share)}
            </text>
          ))}
          <text className={styles.tick} x={edge.left} y={height - 6}>
            {formatTime(first.at)}
          </text>
          <text className={styles.tick} x={width - edge.right} y={height - 6} textAnchor="end">
            {formatTime(until)}
          </text>
        </svg>
      </div>
    </figure>
  );
}

/** The sum of the first shares. */
function below(shares: number[], count: number): number {
  return shares.slice(0, count).reduce((sum, share) => sum + share, 0);
}

function inWords(names: string[], first: number[], last: number[]): string {
  return names.map((name, index) => `${name} from ${percent(first[index]!)} to ${percent(last[index]!)}`).join(', ');
}

function percent(share: number): string {
  return `${Number((100 * share).toFixed(1))} %`;
}
