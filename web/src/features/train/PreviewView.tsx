import type { ReactNode } from 'react';
import { formatCount, formatNumber } from '../../format/numbers.ts';
import { RolloutView } from './RolloutView.tsx';
import styles from './TrainDialog.module.css';
import type { Preview, RlPreview, SftPreview } from './training-plan.ts';

/** What a job would learn from. */
export function PreviewView({ preview: { kind, found } }: { preview: Preview }) {
  const { base_model, step, matched, read, skipped, trained_tokens, masked_tokens, steps, learning_rate, warnings } =
    found;
  return (
    <section className={styles.preview} aria-label="Preview">
      <dl className={styles.facts}>
        <Fact name="Model">{`over ${base_model}, ${step === 0 ? 'not trained yet' : `from step ${step}`}`}</Fact>
        <Fact name="Calls">
          {`${formatCount(matched)} match`}
          {read < matched && `, of which the newest ${formatCount(read)} are read`}
          {skipped.map(({ reason, count }) => (
            <div key={reason}>{`${formatCount(count)} skipped: ${reason}`}</div>
          ))}
        </Fact>
        {kind === 'rl' ? <RlFacts found={found} /> : <SftFacts found={found} />}
        {steps > 0 && (
          <>
            <Fact name="Tokens">
              {`${formatCount(trained_tokens)} trained, ${formatCount(masked_tokens)} masked (prompts and context)`}
            </Fact>
            <Fact name="Steps">{`${formatCount(steps)}, learning rate ${[learning_rate].flat().join(', ')}`}</Fact>
          </>
        )}
      </dl>
      {warnings.map((warning) => (
        <p key={warning} className={styles.warning}>
          {warning}
        </p>
      ))}
      {steps > 0 && <Examples preview={{ kind, found } as Preview} />}
    </section>
  );
}

function RlFacts({ found }: { found: RlPreview }) {
  const { groups, single_groups, equal_groups, trajectories, rewards, advantages } = found;
  const without = [
    ...(equal_groups > 0 ? [`${formatCount(equal_groups)} with equal rewards`] : []),
    ...(single_groups > 0 ? [`${formatCount(single_groups)} with one trajectory`] : []),
  ];
  if (trajectories === 0) return null;
  return (
    <>
      <Fact name="Trajectories">{formatCount(trajectories)}</Fact>
      <Fact name="Groups">
        {formatCount(groups)}
        {without.length > 0 && `; nothing to learn from ${without.join(' and ')}`}
      </Fact>
      <Fact name="Rewards">{rangeText(rewards)}</Fact>
      <Fact name="Advantages">{rangeText(advantages)}</Fact>
    </>
  );
}

function SftFacts({
  found: { conversations, held_out, held_out_groups, too_long, batch_size, epochs },
}: {
  found: SftPreview;
}) {
  const parts = [
    formatCount(conversations),
    ...(held_out > 0
      ? [`${formatCount(held_out)} held out in ${formatCount(held_out_groups)} groups of traces, threads and users`]
      : []),
    ...(too_long > 0 ? [`${formatCount(too_long)} too long`] : []),
  ];
  return (
    <Fact name="Conversations">{`${parts.join(', ')}; ${batch_size} in a step, ${epochs === 1 ? 'once' : `${epochs} times`}`}</Fact>
  );
}

function Examples({ preview: { kind, found } }: { preview: Preview }) {
  const rollouts = kind === 'rl' ? found.examples : found.examples.map((pieces) => ({ pieces, advantage: null }));
  return (
    <>
      <h3>{kind === 'rl' ? 'From the first step' : 'The first conversations'}</h3>
      {rollouts.map((rollout, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they have no ids, and do not change
        <RolloutView key={index} rollout={rollout} title={`Example ${index + 1}`} />
      ))}
    </>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

function rangeText({ min, mean, max }: RlPreview['rewards']): string {
  return `${formatNumber(min)} to ${formatNumber(max)}, mean ${formatNumber(mean)}`;
}
