import type { TrainedModel, TrainingJob } from '../../api/training.ts';
import { DataTable, type TableColumn } from '../../components/DataTable.tsx';
import { TimeAgo } from '../../components/TimeAgo.tsx';
import { JobStatus, kindNames } from '../../features/train/JobStatus.tsx';
import { formatDuration } from '../../format/numbers.ts';
import { millisecondsBetween } from '../../format/time.ts';
import { useSearchState } from '../../hooks/use-search-state.ts';
import { Button } from '../../ui/Button.tsx';
import { Empty } from '../../ui/Status.tsx';
import styles from './Jobs.module.css';
import { JobView } from './JobView.tsx';

/** The jobs of a model, the newest first, above the one that is chosen. */
export function Jobs({ model, jobs }: { model: TrainedModel; jobs: TrainingJob[] }) {
  const [search, change] = useSearchState();
  if (jobs.length === 0) {
    return (
      <Empty icon="training" title="No jobs yet">
        Start one with{' '}
        <code>
          heddle train --project {`${model.entity}/${model.project}`} --model {model.name}
        </code>
        , or with OpenPipe ART.
      </Empty>
    );
  }
  const newestFirst = jobs.toReversed();
  const chosen = search.job === undefined ? newestFirst[0] : jobs.find(({ id }) => id === search.job);
  const numbers = new Map(jobs.map(({ id }, index) => [id, index + 1]));
  return (
    <div className={styles.jobs}>
      {jobs.length > 1 && (
        <div className={styles.table} style={{ height: 33 * Math.min(jobs.length + 1, 6) }}>
          <DataTable
            label="Training jobs"
            columns={columnsWith(numbers)}
            items={newestFirst}
            keyOf={({ id }) => id}
            activeKey={chosen?.id}
            onOpen={({ id }) => change({ job: id }, { replace: search.job !== undefined })}
          />
        </div>
      )}
      {chosen ? (
        <JobView key={chosen.id} job={chosen} number={numbers.get(chosen.id)!} />
      ) : (
        <Empty
          icon="search"
          title="This job does not exist"
          actions={<Button onClick={() => change({ job: undefined })}>Show the newest job</Button>}
        >
          The model has other jobs, but none with this id.
        </Empty>
      )}
    </div>
  );
}

function columnsWith(numbers: Map<string, number>): TableColumn<TrainingJob>[] {
  return [
    { id: 'number', title: 'Job', width: 80, cell: ({ id }) => `#${numbers.get(id)}` },
    { id: 'status', title: 'Status', width: 120, cell: ({ status }) => <JobStatus status={status} /> },
    { id: 'type', title: 'Kind', width: 190, cell: ({ type }) => kindNames[type] },
    {
      id: 'duration',
      title: 'Duration',
      width: 100,
      align: 'end',
      cell: ({ started_at, ended_at }) => {
        const duration = started_at == null ? null : millisecondsBetween(started_at, ended_at);
        return duration === null ? null : formatDuration(duration);
      },
    },
    {
      id: 'created',
      title: 'Created',
      width: 110,
      align: 'end',
      cell: ({ created_at }) => <TimeAgo time={created_at} />,
    },
  ];
}
