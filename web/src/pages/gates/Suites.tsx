import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Suite, suiteUseQuery } from '../../api/gates.ts';
import { TimeAgo } from '../../components/TimeAgo.tsx';
import { RefLink } from '../../features/RefLink.tsx';
import { useProject } from '../../features/use-project.ts';
import { formatCount, formatNumber } from '../../format/numbers.ts';
import { Button } from '../../ui/Button.tsx';
import { Table } from '../../ui/Table.tsx';
import { gatesUrl } from '../../urls.ts';
import styles from './Suites.module.css';

/** The suites of the project, with what earlier candidates leave of each. */
export function Suites({ suites, onStart }: { suites: Suite[]; onStart: (suite: string) => void }) {
  return (
    <Table label="Suites" className={styles.suites}>
      <thead>
        <tr>
          <th scope="col">Suite</th>
          <th scope="col">Dataset</th>
          <th scope="col">Purpose</th>
          <th scope="col" data-align="end">
            Rows
          </th>
          <th scope="col" data-align="end" title="The probability of a wrong promotion that all candidates share">
            α
          </th>
          <th scope="col" data-align="end">
            Candidates
          </th>
          <th scope="col" data-align="end">
            Left
          </th>
          <th scope="col" data-align="end">
            Frozen
          </th>
          <th scope="col">
            <span className="visually-hidden">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {suites.map((suite) => (
          <SuiteRow key={suite.id} suite={suite} onStart={() => onStart(suite.name)} />
        ))}
      </tbody>
    </Table>
  );
}

function SuiteRow({ suite, onStart }: { suite: Suite; onStart: () => void }) {
  const project = useProject();
  const isForGates = suite.purpose === 'gate';
  const { data: use } = useQuery({ ...suiteUseQuery(project, suite.name), enabled: isForGates });
  return (
    <tr>
      <th scope="row" className={styles.name}>
        {isForGates ? <Link to={gatesUrl(project, suite.name)}>{suite.name}</Link> : suite.name}
      </th>
      <td>
        <RefLink value={suite.dataset} />
      </td>
      <td>{isForGates ? 'for gates' : 'kept out of training'}</td>
      <td data-align="end">{formatCount(suite.row_count)}</td>
      <td data-align="end">{isForGates ? formatNumber(suite.alpha) : '–'}</td>
      <td data-align="end">{isForGates && use !== undefined ? formatCount(use?.candidates ?? 0) : '–'}</td>
      <td data-align="end">
        <Left left={use?.candidates_left ?? null} />
      </td>
      <td data-align="end">
        <TimeAgo time={suite.frozen_at} />
      </td>
      <td data-align="end">
        {isForGates && (
          <Button kind="quiet" icon="play" className={styles.start ?? ''} onClick={onStart}>
            Start a gate
          </Button>
        )}
      </td>
    </tr>
  );
}

/** How many more candidates a suite can decide; unknown before the first gate. */
function Left({ left }: { left: number | null }) {
  if (left === null) return '–';
  if (left > 0) return formatCount(left);
  return <span className={styles.due}>0, fresh rows are due</span>;
}
