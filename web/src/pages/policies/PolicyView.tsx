import { useQuery } from '@tanstack/react-query';
import { policyQuery } from '../../api/policies.ts';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { ErrorMessage, Loading } from '../../ui/Status.tsx';
import type { ProjectAddress } from '../../urls.ts';
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
      <h3>Outcomes of version {latest!.number}</h3>
      <Outcomes version={latest!} />
      <h3>Versions</h3>
      <Versions versions={policy.versions} />
    </section>
  );
}
