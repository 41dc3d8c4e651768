import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { type Lineage, lineageQuery } from '../../api/lineage.ts';
import { TimeAgo } from '../../components/TimeAgo.tsx';
import { formatCount } from '../../format/numbers.ts';
import { previewOf } from '../../format/preview.ts';
import { opTitle } from '../../refs.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Button } from '../../ui/Button.tsx';
import { Empty, ErrorMessage, Loading } from '../../ui/Status.tsx';
import { callUrl, lineageUrl, projectAddressOf, trainingJobUrl } from '../../urls.ts';
import { RefLink } from '../RefLink.tsx';
import { JobStatus, kindNames } from '../train/JobStatus.tsx';
import { useProject } from '../use-project.ts';
import styles from './CallLineage.module.css';
import { VerifyAnswer } from './VerifyAnswer.tsx';

type Checkpoint = NonNullable<Lineage['checkpoint']>;
type Row = Lineage['rows'][number];
type Score = Row['scores'][number];
type Use = Lineage['uses'][number];

/** Where an answer comes from, as a tree down to the calls that its model learned from, and what was trained on the call. */
export function CallLineage({ callId }: { callId: string }) {
  const { pages, more, status } = useLineage({ call_id: callId });
  if (!pages) return status;
  const { call, uses } = pages[0]!;
  const answer = call?.answer ?? null;
  if (answer === null && uses.length === 0) {
    return (
      <Empty icon="code" title="No lineage">
        No model that heddle serves answered this call, and no model was trained on it.
      </Empty>
    );
  }
  return (
    <div className={styles.lineage}>
      {answer && (
        <section aria-label="Where it comes from">
          <h3>Where it comes from</h3>
          <Line>
            Answered by <strong>{answer.model}</strong>
            {answer.policy !== null && answer.policy !== answer.model && (
              <span className={styles.note}>asked for as {answer.policy}</span>
            )}
            <VerifyAnswer callId={callId} />
          </Line>
          <Made pages={pages} more={more} />
          {pages[0]!.checkpoint === null && answer.adapter_id !== null && (
            <Line>
              <span className={styles.note}>
                with the adapter {answer.adapter_id}, which no job of a readable project made
              </span>
            </Line>
          )}
        </section>
      )}
      {uses.length > 0 && (
        <section aria-label="What was trained on it">
          <h3>What was trained on it</h3>
          <ul>
            {uses.map((use) => (
              <UseLine key={use.job.id} use={use} />
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

/** A checkpoint, the job that made it and its calls. */
function Made({ pages, more }: { pages: Lineage[]; more: ReactNode }) {
  const { checkpoint, job, before } = pages[0]!;
  if (checkpoint === null) return null;
  const address = projectAddressOf(checkpoint.project);
  return (
    <ul>
      <li>
        <Line>
          Checkpoint of step {checkpoint.step} of {checkpoint.model}
          <span className={styles.note}>
            over {checkpoint.base_model}, <TimeAgo time={String(checkpoint.created_at)} />
          </span>
        </Line>
        <ul>
          <li>
            {job === null ? (
              <Line>
                <span className={styles.note}>It was uploaded.</span>
              </Line>
            ) : (
              <>
                <Line>
                  Made by the job{' '}
                  <Link to={trainingJobUrl(address, { model: checkpoint.model, id: job.id })}>{job.id.slice(-12)}</Link>
                  <JobStatus status={job.status} />
                  <span className={styles.note}>
                    {kindNames[job.type]}
                    {job.created_by !== null && ` of ${job.created_by}`}, {callsOf(job.calls)}
                  </span>
                </Line>
                <ul aria-label="Calls of the job">
                  {pages.flatMap(({ rows }) =>
                    rows.map((row) => <RowLine key={row.call_id} row={row} project={checkpoint.project} />),
                  )}
                </ul>
                {more}
              </>
            )}
          </li>
          {before !== null && (
            <li>
              <Earlier checkpoint={before} />
            </li>
          )}
        </ul>
      </li>
    </ul>
  );
}

function callsOf({ total, validation }: NonNullable<Lineage['job']>['calls']): string {
  const calls = `from ${formatCount(Number(total))} ${Number(total) === 1 ? 'call' : 'calls'}`;
  return Number(validation) === 0 ? calls : `${calls}, ${formatCount(Number(validation))} of them held out`;
}

/** The checkpoint before, which is read when it is opened. */
function Earlier({ checkpoint }: { checkpoint: Checkpoint }) {
  const [isOpen, open] = useState(false);
  if (isOpen) return <OpenedEarlier id={checkpoint.id} />;
  return (
    <Button onClick={() => open(true)}>
      It continued from step {checkpoint.step} of {checkpoint.model}
    </Button>
  );
}

function OpenedEarlier({ id }: { id: string }) {
  const { pages, more, status } = useLineage({ checkpoint_id: id });
  return pages ? <Made pages={pages} more={more} /> : status;
}

function RowLine({ row, project }: { row: Row; project: string }) {
  const { call_id: id, call, weight, split, scores } = row;
  return (
    <li>
      <Line>
        {call === null ? (
          <span className={styles.note}>{id} was deleted</span>
        ) : (
          <Link to={lineageUrl(projectAddressOf(project), id)}>{call.display_name || opTitle(call.op_name)}</Link>
        )}
        {call !== null && <TimeAgo time={String(call.started_at)} />}
        <Used weight={weight} split={split} />
      </Line>
      {scores.length > 0 && (
        <ul aria-label="Scores">
          {scores.map((score) => (
            <ScoreLine key={score.id} score={score} />
          ))}
        </ul>
      )}
    </li>
  );
}

function ScoreLine({ score }: { score: Score }) {
  const { feedback_type: type, payload, user, judge_ref: judge, judge_call_ref: judgeCall } = score;
  return (
    <li>
      <Line>
        {type} {previewOf(payload)}
        <span className={styles.note}>
          {judge !== null ? (
            <>
              by <RefLink value={judge} />
            </>
          ) : (
            user !== null && `by ${user}`
          )}
        </span>
        {judgeCall !== null && <JudgeCall value={judgeCall} />}
      </Line>
    </li>
  );
}

function JudgeCall({ value }: { value: string }) {
  const [, project, id] = /^weave:\/\/\/([^/]+\/[^/]+)\/call\/([^/]+)$/.exec(value) ?? [];
  return project && id ? <Link to={callUrl(projectAddressOf(project), id)}>how it judged</Link> : null;
}

function UseLine({ use: { job, weight, split, checkpoint, answers } }: { use: Use }) {
  const project = useProject();
  return (
    <li>
      <Line>
        <Link to={trainingJobUrl(project, { model: job.model, id: job.id })}>{job.model}</Link>
        <JobStatus status={job.status} />
        <span className={styles.note}>{kindNames[job.type]}</span>
        <Used weight={weight} split={split} />
      </Line>
      {checkpoint !== null && (
        <ul>
          <li>
            <Line>
              Checkpoint of step {checkpoint.step}: {answers.has_more ? 'at least ' : ''}
              {formatCount(Number(answers.count))} {Number(answers.count) === 1 ? 'answer' : 'answers'}
            </Line>
            <ul aria-label="Newest answers">
              {answers.newest.map(({ id, started_at: at, op_name: op, display_name: name }) => (
                <li key={id}>
                  <Line>
                    <Link to={lineageUrl(project, id)}>{name || opTitle(op)}</Link>
                    <TimeAgo time={String(at)} />
                  </Line>
                </li>
              ))}
            </ul>
          </li>
        </ul>
      )}
    </li>
  );
}

function Used({ weight, split }: Pick<Row, 'weight' | 'split'>) {
  if (split === null) return <span className={styles.note}>not used</span>;
  if (split === 'validation') return <Badge>held out</Badge>;
  return <span className={styles.note}>weight {Number(weight).toPrecision(3)}</span>;
}

function Line({ children }: { children: ReactNode }) {
  return <div className={styles.line}>{children}</div>;
}

/** The pages of a lineage, a button for the next one, and what is shown until they are here. */
function useLineage(of: Parameters<typeof lineageQuery>[1]) {
  const project = useProject();
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    lineageQuery(project.id, of),
  );
  const more = hasNextPage ? (
    <Button disabled={isFetchingNextPage} onClick={() => fetchNextPage()}>
      More calls
    </Button>
  ) : null;
  const status = error ? <ErrorMessage error={error} onRetry={refetch} /> : <Loading label="Looking for the lineage" />;
  return { pages: data?.pages ?? null, more, status };
}
