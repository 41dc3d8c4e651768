import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ask } from '../../api/client.ts';
import { formatCount } from '../../format/numbers.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Empty, ErrorMessage, Loading } from '../../ui/Status.tsx';
import { queueUrl, trainingJobUrl, versionUrl } from '../../urls.ts';
import { JobStatus, kindNames } from '../train/JobStatus.tsx';
import { useProject } from '../use-project.ts';
import styles from './CallUses.module.css';

/** The versions of datasets with rows made from a call, the queues in which it is annotated, and the jobs that train on it. */
export function CallUses({ callId }: { callId: string }) {
  const project = useProject();
  const { data, error, refetch } = useQuery({
    queryKey: ['objects', project.id, 'uses', callId],
    queryFn: ({ signal }) => ask('POST /call/uses', { body: { project_id: project.id, id: callId } }, { signal }),
  });
  if (error) return <ErrorMessage error={error} onRetry={refetch} />;
  if (!data) return <Loading label="Looking for uses" />;
  const { datasets, queues, training_jobs: jobs } = data;
  if (datasets.length + queues.length + jobs.length === 0) {
    return (
      <Empty icon="table" title="This call is not used yet">
        Select it in the list of traces to add it to a dataset or to an annotation queue, or to train on it.
      </Empty>
    );
  }
  return (
    <div className={styles.uses}>
      {datasets.length > 0 && (
        <section aria-label="Datasets">
          <h3>Datasets</h3>
          <ul>
            {datasets.map(({ object_id, digest, version_index, is_latest, rows }) => (
              <li key={`${object_id} ${digest}`} className={styles.use}>
                <Link to={versionUrl(project, { kind: 'objects', name: object_id, digest })}>
                  {object_id} v{version_index}
                </Link>
                {is_latest && <Badge tone="accent">latest</Badge>}
                <span className={styles.note}>
                  {formatCount(rows)} {rows === 1 ? 'row' : 'rows'}
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
      {queues.length > 0 && (
        <section aria-label="Annotation queues">
          <h3>Annotation queues</h3>
          <ul>
            {queues.map(({ id, name, annotation_state }) => (
              <li key={id} className={styles.use}>
                <Link to={queueUrl(project, id)}>{name}</Link>
                <span className={styles.note}>{annotation_state.replace('_', ' ')}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      {jobs.length > 0 && (
        <section aria-label="Training jobs">
          <h3>Training jobs</h3>
          <ul>
            {jobs.map(({ id, model, type, status }) => (
              <li key={id} className={styles.use}>
                <Link to={trainingJobUrl(project, { model, id })}>{model}</Link>
                <JobStatus status={status} />
                <span className={styles.note}>{kindNames[type]}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}
