import { useQuery } from '@tanstack/react-query';
import { policiesQuery } from '../../api/policies.ts';
import { PageHeader } from '../../components/PageHeader.tsx';
import { useProject } from '../../features/use-project.ts';
import { usePageTitle } from '../../hooks/use-page-title.ts';
import { useSearchState } from '../../hooks/use-search-state.ts';
import { ErrorMessage, Loading } from '../../ui/Status.tsx';
import { NoPolicies } from './NoPolicies.tsx';
import styles from './PoliciesPage.module.css';
import { PolicyList } from './PolicyList.tsx';
import { PolicyView } from './PolicyView.tsx';

/** The policies of the project, and below them the one that is chosen. */
export function Page() {
  const project = useProject();
  const [search, change] = useSearchState();
  usePageTitle(search.policy, 'Policies', project.project);
  const { data: policies, error, isPending, refetch } = useQuery(policiesQuery(project));
  if (isPending) return <Loading label="Loading policies" lines={8} />;
  if (error && !policies) return <ErrorMessage error={error} onRetry={refetch} />;
  if (!policies || policies.length === 0) return <NoPolicies project={project} />;
  const name = search.policy ?? policies[0]!.name;
  return (
    <>
      <PageHeader title="Policies" />
      <div className={styles.page}>
        <PolicyList policies={policies} chosen={name} onChoose={(policy) => change({ policy })} />
        <PolicyView key={name} project={project} name={name} />
      </div>
    </>
  );
}
