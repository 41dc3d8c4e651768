import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { isOpen, isPaused, type TrainingEvent, type TrainingJob, trainingEventsQuery } from '../../api/training.ts';
import { Fact, Facts } from '../../components/Facts.tsx';
import { TimeAgo } from '../../components/TimeAgo.tsx';
import { JobStatus, kindNames } from '../../features/train/JobStatus.tsx';
import { formatCount, formatDuration } from '../../format/numbers.ts';
import { useNow } from '../../hooks/use-now.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { ErrorMessage, Loading } from '../../ui/Status.tsx';
import { CancelJob } from './CancelJob.tsx';
import { CurveGrid } from './CurveGrid.tsx';
import { curvesOf } from './curves.ts';
import { JobEvents } from './JobEvents.tsx';
import styles from './JobView.module.css';
import { ResumeJob } from './ResumeJob.tsx';
import { Rollouts } from './Rollouts.tsx';

/** A job: how far it is, its curves, and what it reported. */
export function JobView({ job, number }: { job: TrainingJob; number: number }) {
  const { data: events, error, refetch } = useQuery(trainingEventsQuery(job.id));
  const curves = useMemo(() => curvesOf(events ?? []), [events]);
  const { total, made } = progressOf(events ?? []);
  const failure = failureOf(events ?? []);
  return (
    <section className={styles.job} aria-label={`Job ${number}`}>
      <header className={styles.head}>
        <h3>Job #{number}</h3>
        <JobStatus status={failure === canceled ? 'canceled' : job.status} />
        <span>{kindNames[job.type]}</span>
        {isOpen(job) && (
          <div className={styles.actions}>
            {isPaused(job) && <ResumeJob job={job} number={number} />}
            <CancelJob job={job} number={number} />
          </div>
        )}
        <JobFacts job={job} events={events ?? []} made={made} total={total} />
        {(job.status === 'running' || isPaused(job)) && total > 0 && (
          <progress className={styles.progress} value={made} max={total} aria-label="Steps made" />
        )}
      </header>
      {job.paused_reason != null && <ErrorNote>{job.paused_reason}</ErrorNote>}
      {job.waiting_reason != null && <p className={styles.none}>{job.waiting_reason} The job waits for one.</p>}
      {failure !== null && failure !== canceled && !isPaused(job) && <ErrorNote>{failure}</ErrorNote>}
      {error && !events && <ErrorMessage error={error} onRetry={refetch} />}
      {!events && !error && <Loading label="Loading events" lines={4} />}
      {events && curves.steps.length > 0 && <CurveGrid curves={curves} group={job.id} />}
      {events && curves.steps.length === 0 && <p className={styles.none}>{whyEmpty(job)}</p>}
      {events && <JobEvents events={events} />}
      {(job.type === 'rl' || job.type === 'sft') && total > 0 && <Rollouts job={job} made={made} />}
    </section>
  );
}

type JobFactsProps = { job: TrainingJob; events: TrainingEvent[]; made: number; total: number };

function JobFacts({ job, events, made, total }: JobFactsProps) {
  const now = useNow();
  const { started_at: startedAt, ended_at: endedAt, created_at: createdAt } = job;
  const data = events.find(({ type }) => type === 'training_started')?.data ?? {};
  const counts = dataNames.filter(([name]) => Number(data[name]) > 0);
  return (
    <Facts>
      {(total > 0 || made > 0) && (
        <Fact name="Steps">{total > 0 ? `${formatCount(made)} of ${formatCount(total)}` : formatCount(made)}</Fact>
      )}
      {startedAt != null && (
        <Fact name="Duration">
          {formatDuration(
            (endedAt == null ? Math.max(now, Date.parse(startedAt)) : Date.parse(endedAt)) - Date.parse(startedAt),
          )}
        </Fact>
      )}
      {counts.map(([name, title]) => (
        <Fact key={name} name={title}>
          {formatCount(Number(data[name]))}
        </Fact>
      ))}
      <UsageFacts usage={job.usage} />
      {job.suite_check === 'allowed' && (
        <Fact name="Rows of suites">{`${formatCount(job.suite_rows_found ?? 0)}, which was allowed`}</Fact>
      )}
      <Fact name="Created">
        <TimeAgo time={createdAt} />
      </Fact>
    </Facts>
  );
}

/** What the job has cost so far. */
function UsageFacts({ usage }: { usage: TrainingJob['usage'] }) {
  if (usage.seconds === 0) return null;
  const scored = usage.forward_tokens > 0 ? `, ${formatCount(usage.forward_tokens)} scored` : '';
  return (
    <>
      <Fact name="Trainer time">{formatDuration(1000 * usage.seconds)}</Fact>
      <Fact name="Tokens computed">{`${formatCount(usage.trained_tokens)} trained${scored}`}</Fact>
    </>
  );
}

/** What `training_started` says of the data. */
const dataNames: [name: string, title: string][] = [
  ['num_groups_submitted', 'Groups'],
  ['num_groups_trainable', 'Groups to learn from'],
  ['num_trajectories', 'Trajectories'],
  ['num_held_out_trajectories', 'Held out'],
  ['num_prompts', 'Prompts'],
  ['num_pairs', 'Pairs'],
  ['num_trainable_tokens', 'Trained tokens'],
  ['num_reconstructed_tokens', 'Reconstructed tokens'],
];

function progressOf(events: TrainingEvent[]): { total: number; made: number } {
  const total = Number(events.find(({ type }) => type === 'training_started')?.data.num_sequences ?? 0);
  return { total, made: events.filter(({ type }) => type === 'gradient_step').length };
}

/** The reason of a job that was canceled; its status is that of a failed one. */
const canceled = 'The job was canceled.';

function failureOf(events: TrainingEvent[]): string | null {
  const last = events.at(-1);
  return last?.type === 'training_failed' ? String(last.data.error_message ?? '') : null;
}

function whyEmpty({ status }: TrainingJob): string {
  if (status === 'queued')
    return 'The job waits for those before it: of its model, of its project, or of the whole server.';
  if (status === 'paused') return 'The job has made no step yet.';
  if (status === 'running') return 'The data is being prepared. Curves appear with the first step.';
  return status === 'ended'
    ? 'There was nothing to learn from, so no step was made.'
    : 'The job ended before its first step.';
}
