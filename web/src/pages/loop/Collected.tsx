import type { Turn } from '../../api/loops.ts';
import { formatCount } from '../../format/numbers.ts';
import { Table } from '../../ui/Table.tsx';
import pageStyles from './LoopPage.module.css';
import styles from './TurnView.module.css';

/** What a turn collected, and how many calls it left out, by reason. */
export function Collected({ collected }: { collected: NonNullable<Turn['collected']> }) {
  const { matched, read, kept, tokens, skipped } = collected;
  return (
    <div className={styles.collected}>
      <h3>Collected</h3>
      <p>
        {formatCount(kept)} kept of {formatCount(matched)} matching {matched === 1 ? 'call' : 'calls'}
        {read === matched ? '' : ` (the newest ${formatCount(read)} were read)`}; {formatCount(tokens)} trained tokens.
      </p>
      {skipped.length > 0 && (
        <Table label="Left out" className={pageStyles.table}>
          <thead>
            <tr>
              <th scope="col">Left out because</th>
              <th scope="col" data-align="end">
                Calls
              </th>
            </tr>
          </thead>
          <tbody>
            {skipped.map(({ reason, count }) => (
              <tr key={reason}>
                <td>{reason}</td>
                <td data-align="end">{formatCount(count)}</td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </div>
  );
}
