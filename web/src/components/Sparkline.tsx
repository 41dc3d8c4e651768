import styles from './Sparkline.module.css';

/** Small bars of counts over time, the failed part in red. `label` says in words what they show. */
export function Sparkline({ counts, errors, label }: { counts: number[]; errors?: number[]; label: string }) {
  const most = Math.max(1, ...counts);
  const height = 22;
  const bar = (count: number) => (count === 0 ? 1 : Math.max(2, (count / most) * height));
  return (
    <svg className={styles.chart} width={counts.length * 6} height={height} role="img" aria-label={label}>
      <title>{label}</title>
      {counts.map((count, index) => {
        const failed = errors?.[index] ?? 0;
        const size = bar(count);
        const failedSize = failed === 0 ? 0 : Math.max(2, (failed / Math.max(1, count)) * size);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its position
          <g key={index}>
            <rect
              className={count === 0 ? styles.none : styles.bar}
              x={index * 6}
              y={height - size}
              width={4}
              height={size}
              rx={1}
            />
            {failed > 0 && (
              <rect
                className={styles.failed}
                x={index * 6}
                y={height - failedSize}
                width={4}
                height={failedSize}
                rx={1}
              />
            )}
          </g>
        );
      })}
    </svg>
  );
}
