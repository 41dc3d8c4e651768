import { useQuery } from '@tanstack/react-query';
import { type PolicyWithVersions, policyQuery } from '../../api/policies.ts';
import { StackedSteps } from '../../components/chart/StackedSteps.tsx';
import { formatExact, millisecondsOf } from '../../format/time.ts';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { ErrorMessage, Loading } from '../../ui/Status.tsx';
import type { ProjectAddress } from '../../urls.ts';
import { BestArm } from './BestArm.tsx';
import { Outcomes } from './Outcomes.tsx';
import styles from './PolicyView.module.css';
import { UndoPolicy } from './UndoPolicy.tsx';
import { Versions } from './Versions.tsx';

/** One policy: what is known of the active version, and how it came to be. */
export function PolicyView({ project, name }: { project: ProjectAddress; name: string }) {
  const { data: policy, error, refetch } = useQuery(policyQuery(project, name));
  if (!policy) return error ? <ErrorMessage error={error} onRetry={refetch} /> : <Loading label="Loading the policy" />;
  const [latest, before] = policy.versions;
  return (
    <section className={styles.policy} aria-label={name}>
      <header className={styles.header}>
        <h2>{policy.model}</h2>
        <CopyButton text={policy.model} label="Copy the name for chats" />
        {before && (
          <span className={styles.actions}>
            <UndoPolicy project={project} name={name} latest={latest!} before={before} />
          </span>
        )}
      </header>
      {latest!.look?.best_arm && (
        <>
          <h3>Best arm</h3>
          <BestArm found={latest!.look.best_arm} />
        </>
      )}
      {before && <SharesOverTime versions={policy.versions} />}
      <h3>Outcomes of version {latest!.number}</h3>
      <Outcomes version={latest!} />
      <h3>Versions</h3>
      <Versions versions={policy.versions} />
    </section>
  );
}

/** Of the versions that have the same variants as the latest one. */
function SharesOverTime({ versions }: { versions: PolicyWithVersions['versions'] }) {
  const names = Object.keys(versions[0]!.shares);
  const changed = versions.findIndex(({ shares }) => names.join() !== Object.keys(shares).join());
  const shown = changed === -1 ? versions : versions.slice(0, changed);
  const steps = shown
    .map(({ created_at, shares }) => ({ at: millisecondsOf(created_at), shares: names.map((name) => shares[name]!) }))
    .reverse();
  return (
    <div className={styles.picture}>
      <StackedSteps
        title="Share of traffic"
        names={names}
        steps={steps}
        until={Date.now()}
        formatTime={(ms) => formatExact(new Date(ms)).slice(0, 16)}
      />
    </div>
  );
}
