import { lazy, Suspense } from 'react';
import { useProject } from '../../features/use-project.ts';
import { useSearchState } from '../../hooks/use-search-state.ts';
import { IconButton } from '../../ui/Button.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { Loading } from '../../ui/Status.tsx';
import { callUrl } from '../../urls.ts';

/** Loads the code of the panel, so that it is there when a call is opened. */
export const loadCallView = () => import('../../features/call/CallView.tsx');
const CallView = lazy(() => loadCallView().then((module) => ({ default: module.CallView })));

/** A call beside the list. */
export function CallPanel({ callId, onFilter }: { callId: string; onFilter: (condition: string) => void }) {
  const project = useProject();
  const [, change] = useSearchState();
  return (
    <Panel
      title="Call"
      onClose={() => change({ call: undefined, tab: undefined })}
      actions={
        <IconButton
          label="Open on its own page"
          icon="external"
          onClick={() => window.open(callUrl(project, callId), '_blank', 'noopener')}
        />
      }
    >
      <Suspense fallback={<Loading label="Loading the call" lines={6} />}>
        <CallView callId={callId} onChoose={(call) => change({ call }, { replace: true })} onFilter={onFilter} />
      </Suspense>
    </Panel>
  );
}
