import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { servedName, type TrainedModel, trainingJobsQuery } from '../../api/training.ts';
import { useProject } from '../../features/use-project.ts';
import { useSearchState } from '../../hooks/use-search-state.ts';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { ErrorMessage, Loading } from '../../ui/Status.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { playgroundUrl } from '../../urls.ts';
import { Checkpoints } from './Checkpoints.tsx';
import { Jobs } from './Jobs.tsx';
import styles from './ModelView.module.css';

/** A model: what it is called, its jobs, and its checkpoints. */
export function ModelView({ model }: { model: TrainedModel }) {
  const project = useProject();
  const [search, change] = useSearchState();
  const { data: jobs, error, refetch } = useQuery(trainingJobsQuery(model.id));
  const name = servedName(model);
  const content = (show: (loaded: NonNullable<typeof jobs>) => React.ReactNode) => {
    if (jobs) return show(jobs);
    return error ? <ErrorMessage error={error} onRetry={refetch} /> : <Loading label="Loading jobs" />;
  };
  return (
    <section className={styles.view} aria-label={`Model ${model.name}`}>
      <header className={styles.head}>
        <h2 className={styles.name}>{model.name}</h2>
        <span className={styles.base}>over {model.base_model}</span>
        <Link className={styles.chat} to={playgroundUrl(project)} search={{ model: name } as never}>
          <Icon name="chat" /> Open in playground
        </Link>
        <div className={styles.served}>
          <code title={name}>{name}</code>
          <CopyButton text={name} label="Copy the name for clients" />
        </div>
      </header>
      <Tabs
        label="Views of the model"
        value={search.tab === 'checkpoints' ? 'checkpoints' : 'jobs'}
        onChange={(tab) => change({ tab: tab === 'jobs' ? undefined : tab }, { replace: true })}
        tabs={[
          { id: 'jobs', title: 'Jobs', content: content((loaded) => <Jobs model={model} jobs={loaded} />) },
          {
            id: 'checkpoints',
            title: 'Checkpoints',
            content: content((loaded) => <Checkpoints model={model} jobs={loaded} />),
          },
        ]}
      />
    </section>
  );
}
