import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { callTitle, unpricedAmong } from '../../api/call-fields.ts';
import type { Call } from '../../api/calls.ts';
import { answersQuery, type Message } from '../../api/conversations.ts';
import { evaluatedBy, type ResultRow, type Trial } from '../../api/evaluations.ts';
import { JsonViewer } from '../../components/json/JsonViewer.tsx';
import { Answer } from '../../features/chat/Answer.tsx';
import { Cost } from '../../features/cost/Cost.tsx';
import { useProject } from '../../features/use-project.ts';
import { formatCount, formatDuration } from '../../format/numbers.ts';
import { refTitle } from '../../refs.ts';
import { Loading } from '../../ui/Status.tsx';
import { callUrl } from '../../urls.ts';
import { type Metric, scoreOf, trialsOf } from './metrics.ts';
import styles from './ResultsPage.module.css';
import { RunMark } from './RunMark.tsx';
import { ScoreValue } from './result-columns.tsx';

/** An example, and what each run made of it. */
export function RowDetails({ row, runs, metrics }: { row: ResultRow; runs: Call[]; metrics: Metric[] }) {
  const project = useProject();
  const ids = row.evaluations.flatMap(({ trials }) => trials.flatMap((trial) => trial.predict_call_id ?? []));
  const { data: answers, isLoading } = useQuery(answersQuery(project.id, ids));
  // The answers of other runs are compared with the first one of the first run.
  const firstTrial = trialsOf(row, runs[0]?.id ?? '')[0];
  const first = answersOf(firstTrial, answers);
  if (isLoading) return <Loading label="Loading the answers" />;
  return (
    <div className={styles.details}>
      <div className={styles.example}>
        <JsonViewer label="Example" value={row.raw_data_row} />
      </div>
      {runs.map((run, index) => (
        <section key={run.id} className={styles.ofRun} aria-label={callTitle(run)}>
          <h3 className={styles.runTitle}>
            {runs.length > 1 && <RunMark index={index} />}
            {refTitle(evaluatedBy(run).model) || callTitle(run)}
          </h3>
          {trialsOf(row, run.id).length === 0 && <p className={styles.none}>This run has no trial of the example.</p>}
          {trialsOf(row, run.id).map((trial, number, { length }) => (
            <TrialDetails
              key={trial.predict_and_score_call_id}
              trial={trial}
              title={length > 1 ? `Trial ${number + 1}` : null}
              metrics={metrics}
              answer={answersOf(trial, answers)}
              first={trial === firstTrial ? null : first}
            />
          ))}
        </section>
      ))}
    </div>
  );
}

type TrialDetailsProps = {
  trial: Trial;
  title: string | null;
  metrics: Metric[];
  /** What the model answered as messages; null if it is no conversation. */
  answer: Message[] | null;
  /** The answer that it is compared with. */
  first: Message[] | null;
};

function TrialDetails({ trial, title, metrics, answer, first }: TrialDetailsProps) {
  const project = useProject();
  const { model_latency_seconds: latency, total_tokens: tokens, total_cost: cost, predict_call_id } = trial;
  const unpriced = unpricedAmong(trial.unpriced_tokens, {
    isAtLeast: trial.is_at_least,
    isEstimate: trial.is_estimate,
  });
  const scorers = Object.entries(trial.scorer_call_ids);
  return (
    <div className={styles.trial}>
      {title && <h4 className={styles.trialTitle}>{title}</h4>}
      <dl className={styles.facts}>
        {metrics.map((metric) => (
          <div key={metric.key}>
            <dt>{metric.title}</dt>
            <dd>
              <ScoreValue value={scoreOf(trial, metric)} />
            </dd>
          </div>
        ))}
        {latency != null && <Fact name="Latency">{formatDuration(latency * 1000)}</Fact>}
        {tokens != null && <Fact name="Tokens">{formatCount(tokens)}</Fact>}
        {(cost != null || unpriced.isAtLeast) && (
          <Fact name="Cost">
            <Cost cost={cost ?? null} unpriced={unpriced} />
          </Fact>
        )}
      </dl>
      <p className={styles.links}>
        <Link to={callUrl(project, trial.predict_and_score_call_id)}>Open the trial</Link>
        {predict_call_id && <Link to={callUrl(project, predict_call_id)}>Open the model’s call</Link>}
        {scorers.map(([name, id]) => (
          <Link key={name} to={callUrl(project, id)}>
            Open {name}
          </Link>
        ))}
      </p>
      <div className={styles.output}>
        {answer ? (
          <>
            <Answer messages={answer} first={first} />
            <details>
              <summary>As JSON</summary>
              <JsonViewer label="Output" value={trial.model_output} />
            </details>
          </>
        ) : (
          <JsonViewer label="Output" value={trial.model_output} />
        )}
      </div>
    </div>
  );
}

function answersOf(trial: Trial | undefined, answers: Map<string, Message[]> | undefined): Message[] | null {
  return answers?.get(trial?.predict_call_id ?? '') ?? null;
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
