import { useQuery } from '@tanstack/react-query';
import { trainedModelsQuery } from '../../api/training.ts';
import { PageHeader } from '../../components/PageHeader.tsx';
import { useProject } from '../../features/use-project.ts';
import { usePageTitle } from '../../hooks/use-page-title.ts';
import { useSearchState } from '../../hooks/use-search-state.ts';
import { Select } from '../../ui/Select.tsx';
import { Empty, ErrorMessage, Loading } from '../../ui/Status.tsx';
import { ModelList } from './ModelList.tsx';
import { ModelView } from './ModelView.tsx';
import { NoModels } from './NoModels.tsx';
import styles from './TrainingPage.module.css';

/** The models that are trained in the project, beside the one that is chosen. */
export function Page() {
  const project = useProject();
  const [search, change] = useSearchState();
  usePageTitle(search.model, 'Training', project.project);
  const { data: models, error, isPending, refetch } = useQuery(trainedModelsQuery(project));
  if (isPending) return <Loading label="Loading models" lines={8} />;
  if (error && !models) return <ErrorMessage error={error} onRetry={refetch} />;
  if (!models || models.length === 0) return <NoModels projectId={project.id} />;
  const name = search.model ?? models[0]!.name;
  const model = models.find((each) => each.name === name);
  const choose = (chosen: string) => change({ model: chosen, job: undefined, tab: undefined });
  return (
    <>
      <PageHeader title="Training">
        <div className={styles.select}>
          <Select
            label="Model"
            isLabelHidden
            value={name}
            options={models.map((each) => ({ value: each.name, label: each.name }))}
            onChange={choose}
          />
        </div>
      </PageHeader>
      <div className={styles.split}>
        <ModelList models={models} chosen={name} onChoose={choose} />
        {model ? (
          <ModelView key={model.id} model={model} />
        ) : (
          <Empty icon="search" title={`This project has no model ${name}`}>
            It was deleted, or the address is of another project.
          </Empty>
        )}
      </div>
    </>
  );
}
