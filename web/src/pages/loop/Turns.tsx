import type { Turn } from '../../api/loops.ts';
import { TimeAgo } from '../../components/TimeAgo.tsx';
import { TurnState } from '../../features/loop/TurnState.tsx';
import { formatCount } from '../../format/numbers.ts';
import { Button } from '../../ui/Button.tsx';
import { Table } from '../../ui/Table.tsx';
import styles from './LoopPage.module.css';
import { trainedName } from './plan-text.ts';

type TurnsProps = { turns: Turn[]; chosen: Turn | undefined; onChoose: (number: number) => void };

/** The turns of a loop, the newest first. */
export function Turns({ turns, chosen, onChoose }: TurnsProps) {
  return (
    <section className={styles.section} aria-labelledby="turns">
      <h2 id="turns">Turns</h2>
      <Table label="Turns" className={styles.table}>
        <thead>
          <tr>
            <th scope="col">Turn</th>
            <th scope="col">State</th>
            <th scope="col">Began</th>
            <th scope="col" data-align="end" title="Chats that were trained on, or trajectories">
              Kept
            </th>
            <th scope="col">Candidate</th>
            <th scope="col">Why</th>
          </tr>
        </thead>
        <tbody>
          {turns.map((turn) => (
            <tr key={turn.id} aria-current={turn === chosen}>
              <th scope="row">
                <Button kind={turn === chosen ? 'normal' : 'quiet'} onClick={() => onChoose(turn.number)}>
                  Turn {turn.number}
                </Button>
              </th>
              <td>
                <TurnState turn={turn} />
              </td>
              <td>{turn.started_at === null ? 'not yet' : <TimeAgo time={turn.started_at} />}</td>
              <td data-align="end">{turn.collected === null ? '–' : formatCount(turn.collected.kept)}</td>
              <td>{turn.candidate === null ? '–' : trainedName(turn.candidate)}</td>
              <td>{turn.reason ?? '–'}</td>
            </tr>
          ))}
        </tbody>
      </Table>
    </section>
  );
}
