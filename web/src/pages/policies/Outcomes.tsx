import type { PolicyLook, PolicyVersion } from '../../api/policies.ts';
import { formatCount, formatNumber } from '../../format/numbers.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Table } from '../../ui/Table.tsx';
import styles from './PolicyView.module.css';

/** What the variants of a version were assigned, and what became of it. */
export function Outcomes({ version: { look } }: { version: PolicyVersion }) {
  if (look === null) return <p className={styles.note}>No answers of this version have been counted yet.</p>;
  return (
    <>
      {look.sample_ratio.is_mismatch && (
        <p className={styles.warning} role="alert">
          <Badge tone="warning">sample ratio</Badge> The variants do not have the shares that were planned (p ={' '}
          {formatNumber(look.sample_ratio.p)}). Something loses answers of one of them: do not compare them.
        </p>
      )}
      <Table label="Outcomes">
        <thead>
          <tr>
            <th scope="col">Reward</th>
            <th scope="col">Variant</th>
            {columns.map(({ title, name }) => (
              <th key={name} scope="col" data-align="end" title={title}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {look.scorers.length === 0
            ? look.variants.map((variant) => <Row key={variant.name} reward="–" variant={variant} scored={null} />)
            : look.scorers.flatMap(({ reward, variants }) =>
                look.variants.map((variant) => (
                  <Row
                    key={`${reward} ${variant.name}`}
                    reward={reward}
                    variant={variant}
                    scored={variants.find(({ name }) => name === variant.name) ?? null}
                  />
                )),
              )}
        </tbody>
      </Table>
    </>
  );
}

const columns = [
  { name: 'Assigned', title: 'Threads, users or single requests that were assigned the variant' },
  { name: 'Counted', title: 'Those whose window has closed, and that count' },
  { name: 'Open', title: 'Those whose feedback may still come' },
  { name: 'Missing', title: 'Those whose window closed without feedback' },
  { name: 'Moved', title: 'Those that had another variant before, and are left out' },
  { name: 'Mean', title: 'The mean reward of those that count, with bounds that hold at all times with 95 %' },
  { name: 'Failures', title: 'Answers where the variant failed, whoever answered then' },
];

type RowProps = {
  reward: string;
  variant: PolicyLook['variants'][number];
  scored: PolicyLook['scorers'][number]['variants'][number] | null;
};

function Row({ reward, variant, scored }: RowProps) {
  const cells = [
    formatCount(variant.units),
    ...(scored ? [scored.counted, scored.open, scored.missing].map(formatCount) : ['–', '–', '–']),
    formatCount(variant.moved_units),
    scored ? meanOf(scored) : '–',
    formatCount(variant.failures),
  ];
  return (
    <tr>
      <td>{reward}</td>
      <th scope="row">{variant.name}</th>
      {cells.map((cell, place) => (
        <td key={columns[place]!.name} data-align="end">
          {cell}
        </td>
      ))}
    </tr>
  );
}

function meanOf({ mean, lower, upper }: NonNullable<RowProps['scored']>): string {
  if (mean === null) return '–';
  return lower === null || upper === null
    ? mean.toFixed(3)
    : `${mean.toFixed(3)} (${lower.toFixed(3)} to ${upper.toFixed(3)})`;
}
