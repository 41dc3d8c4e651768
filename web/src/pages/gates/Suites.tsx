import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Suite, suiteUseQuery } from '../../api/gates.ts';
import { TimeAgo } from '../../components/TimeAgo.tsx';
import { RefLink } from '../../features/RefLink.tsx';
import { useProject } from '../../features/use-project.ts';
import { formatCount, formatNumber } from '../../format/numbers.ts';
import { Badge } from '../../ui/Badge.tsx';
import { IconButton } from '../../ui/Button.tsx';
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
          <th scope="col" data-align="end" title="That gates have compared">
            Candidates
          </th>
          <th scope="col" data-align="end" title="Candidates that the suite can still decide">
            Left
          </th>
          <th scope="col" title="The comparison with what the jobs of the project trained on before">
            Earlier jobs
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
      <td>
        <Scan scan={suite.scan} />
      </td>
      <td data-align="end">
        <TimeAgo time={suite.frozen_at} />
      </td>
      <td data-align="end">
        {isForGates && <IconButton label={`Start a gate on ${suite.name}`} icon="play" onClick={onStart} />}
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

/** How far the comparison with earlier training is. Gates wait for it. */
function Scan({ scan: { status, jobs, done, unread, error } }: Pick<Suite, 'scan'>) {
  switch (status) {
    case 'waiting':
    case 'running':
      return <Badge tone="accent">{`${formatCount(done)} of ${formatCount(jobs)} compared`}</Badge>;
    case 'failed':
      return (
        <span title={error ?? undefined}>
          <Badge tone="error">comparison failed</Badge>
        </span>
      );
    case 'done':
      if (jobs === 0) return 'none';
      return `${formatCount(jobs - unread)} compared${unread === 0 ? '' : `, ${formatCount(unread)} without data`}`;
    default:
      return status satisfies never;
  }
}
