import { useMemo } from 'react';
import type { Call } from '../../api/calls.ts';
import { formatCount } from '../../format/numbers.ts';
import { Table } from '../../ui/Table.tsx';
import { ComparedCall } from './ComparedCall.tsx';
import { ComparedValue } from './ComparedValue.tsx';
import styles from './ComparePage.module.css';
import { type ComparedSection, comparedSections } from './compared-rows.ts';

type CompareTableProps = {
  ids: string[];
  /** In the order of the ids; null for a call that does not exist. */
  calls: (Call | null)[];
  isOnlyDifferent: boolean;
  onFirst: (id: string) => void;
  onRemove: (id: string) => void;
};

/** A column for each call, a row for each value in them. */
export function CompareTable({ ids, calls, isOnlyDifferent, onFirst, onRemove }: CompareTableProps) {
  const sections = useMemo(() => comparedSections(calls), [calls]);
  return (
    <Table label="Compared calls" className={styles.table}>
      <thead>
        <tr>
          <td className={styles.name} />
          {ids.map((id, index) => (
            <th key={id} scope="col" className={styles.call}>
              <ComparedCall
                id={id}
                call={calls[index]!}
                isFirst={index === 0}
                onFirst={() => onFirst(id)}
                onRemove={() => onRemove(id)}
              />
            </th>
          ))}
        </tr>
      </thead>
      {sections.map((section) => (
        <Section key={section.title} section={section} isOnlyDifferent={isOnlyDifferent} columns={ids.length} />
      ))}
    </Table>
  );
}

type SectionProps = { section: ComparedSection; isOnlyDifferent: boolean; columns: number };

function Section({ section: { title, rows, isCut }, isOnlyDifferent, columns }: SectionProps) {
  const different = rows.filter(({ isDifferent }) => isDifferent);
  const shown = isOnlyDifferent ? different : rows;
  return (
    <tbody>
      <tr>
        <th scope="rowgroup" colSpan={columns + 1} className={styles.section}>
          <span className={styles.title}>{title}</span>{' '}
          <span className={styles.note}>{summaryOf(rows.length, different.length)}</span>
        </th>
      </tr>
      {shown.map(({ key, name, texts, isDifferent }) => (
        <tr key={key}>
          <th scope="row" className={styles.name}>
            {isDifferent && (
              <span className={styles.unequal} role="img" aria-label="Different">
                ≠
              </span>
            )}{' '}
            {name}
          </th>
          {texts.map((text, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a column is its place
            <td key={index} className={text !== texts[0] ? styles.different : styles.value}>
              <ComparedValue text={text} first={index === 0 ? text : (texts[0] ?? null)} />
            </td>
          ))}
        </tr>
      ))}
      {isCut && (
        <tr>
          <td colSpan={columns + 1} className={styles.note}>
            More values are not shown. Open a call to see all of them.
          </td>
        </tr>
      )}
    </tbody>
  );
}

function summaryOf(rows: number, different: number): string {
  if (rows === 0) return 'none';
  return different === 0 ? 'no difference' : `${formatCount(different)} of ${formatCount(rows)} values differ`;
}
