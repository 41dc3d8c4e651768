import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { loopsQuery } from '../../api/loops.ts';
import { PageHeader } from '../../components/PageHeader.tsx';
import { useProject } from '../../features/use-project.ts';
import { usePageTitle } from '../../hooks/use-page-title.ts';
import { Button } from '../../ui/Button.tsx';
import { ErrorMessage, Loading } from '../../ui/Status.tsx';
import { AboutLoops } from './AboutLoops.tsx';
import { LoopList } from './LoopList.tsx';

const LoopDialog = lazy(() =>
  import('../../features/loop/LoopDialog.tsx').then((module) => ({ default: module.LoopDialog })),
);

/** The loops of the project. */
export function Page() {
  const project = useProject();
  const [isMaking, setIsMaking] = useState(false);
  usePageTitle('Loops', project.project);
  const { data: loops, error, refetch } = useQuery(loopsQuery(project));
  if (error && !loops) return <ErrorMessage error={error} onRetry={refetch} />;
  if (!loops) return <Loading label="Loading loops" lines={8} />;
  return (
    <>
      <PageHeader
        title={loops.length === 0 ? 'No loops yet' : 'Loops'}
        actions={
          <Button kind="primary" icon="plus" onClick={() => setIsMaking(true)}>
            New loop
          </Button>
        }
      />
      {loops.length === 0 ? <AboutLoops project={project} /> : <LoopList loops={loops} />}
      {isMaking && (
        <Suspense>
          <LoopDialog onClose={() => setIsMaking(false)} />
        </Suspense>
      )}
    </>
  );
}
