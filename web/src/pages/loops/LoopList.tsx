import { Link } from '@tanstack/react-router';
import type { Loop } from '../../api/loops.ts';
import { NextTurn, scheduleText } from '../../features/loop/NextTurn.tsx';
import { TurnState } from '../../features/loop/TurnState.tsx';
import { useProject } from '../../features/use-project.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Table } from '../../ui/Table.tsx';
import { loopUrl, policiesUrl, trainedModelUrl } from '../../urls.ts';
import styles from './LoopList.module.css';

export function LoopList({ loops }: { loops: Loop[] }) {
  const project = useProject();
  return (
    <Table label="Loops" className={styles.loops}>
      <thead>
        <tr>
          <th scope="col">Loop</th>
          <th scope="col">Model</th>
          <th scope="col">Policy</th>
          <th scope="col">Latest turn</th>
          <th scope="col">Next turn</th>
          <th scope="col">Schedule</th>
        </tr>
      </thead>
      <tbody>
        {loops.map((loop) => {
          const { name, plan, latest_turn: latest } = loop;
          return (
            <tr key={name}>
              <th scope="row">
                <Link className={styles.name} to={loopUrl(project, name)}>
                  {name}
                </Link>{' '}
                {loop.paused_at !== null && <Badge tone="warning">paused</Badge>}
              </th>
              <td>
                <Link to={trainedModelUrl(project, plan.model)}>{plan.model}</Link>
              </td>
              <td>
                <Link to={policiesUrl(project, plan.rollout.policy)}>{plan.rollout.policy}</Link>
              </td>
              <td>
                {latest ? (
                  <>
                    {latest.number} <TurnState turn={latest} />
                  </>
                ) : (
                  'none yet'
                )}
              </td>
              <td>
                <NextTurn loop={loop} />
              </td>
              <td>{scheduleText(plan.every_hours)}</td>
            </tr>
          );
        })}
      </tbody>
    </Table>
  );
}
