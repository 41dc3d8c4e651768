import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { rolloutsQuery, type TrainingJob } from '../../api/training.ts';
import { type Coloring, RolloutView } from '../../features/train/RolloutView.tsx';
import { formatCount } from '../../format/numbers.ts';
import { IconButton } from '../../ui/Button.tsx';
import { Select } from '../../ui/Select.tsx';
import { ErrorMessage, Loading } from '../../ui/Status.tsx';
import styles from './Rollouts.module.css';

/** What the steps of a job train on, step by step. */
export function Rollouts({ job, made }: { job: TrainingJob; made: number }) {
  const [wanted, setWanted] = useState(1);
  const [coloring, setColoring] = useState<Coloring>('advantage');
  const { data, error, isPlaceholderData, refetch } = useQuery(rolloutsQuery(job.id, wanted, made > 0));
  if (!data) return error ? <ErrorMessage error={error} onRetry={refetch} /> : <Loading label="Loading rollouts" />;
  if (data.step == null) return null;
  const { steps, step, total, rollouts } = data;
  const index = steps.indexOf(step);
  const what = (job.type === 'rl' ? 'rollout' : 'conversation') + (total === 1 ? '' : 's');
  return (
    <section className={styles.section} aria-label="Rollouts">
      <header className={styles.head}>
        <h3>{job.type === 'rl' ? 'Rollouts' : 'Conversations'} of step</h3>
        <IconButton
          label="Previous step"
          icon="arrowLeft"
          disabled={index <= 0}
          onClick={() => setWanted(steps[index - 1]!)}
        />
        <Select
          label="Step"
          isLabelHidden
          value={String(step)}
          options={steps.map((each) => ({ value: String(each), label: formatCount(each) }))}
          onChange={(value) => setWanted(Number(value))}
        />
        <IconButton
          label="Next step"
          icon="chevronRight"
          disabled={index >= steps.length - 1}
          onClick={() => setWanted(steps[index + 1]!)}
        />
        <span className={styles.count}>
          {rollouts.length < total && `${rollouts.length} of `}
          {formatCount(total)} {what}
        </span>
        {job.type === 'rl' && (
          <div className={styles.coloring}>
            <Select
              label="Colours show"
              value={coloring}
              options={[
                { value: 'advantage', label: 'advantage' },
                { value: 'logprob', label: 'logprob of each token' },
              ]}
              onChange={setColoring}
            />
          </div>
        )}
      </header>
      <div className={styles.list} data-stale={isPlaceholderData || undefined}>
        {rollouts.map((rollout, place) => (
          <RolloutView
            // biome-ignore lint/suspicious/noArrayIndexKey: rollouts have no ids, and do not change
            key={`${step} ${place}`}
            rollout={rollout}
            title={`${job.type === 'rl' ? 'Rollout' : 'Conversation'} ${place + 1}`}
            coloring={coloring}
          />
        ))}
      </div>
    </section>
  );
}
