import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { deleteLoop, isRunning, type LoopWithTurns, pauseLoop, resumeLoop, startTurn } from '../../api/loops.ts';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { useProject } from '../../features/use-project.ts';
import { useSearchState } from '../../hooks/use-search-state.ts';
import { Button } from '../../ui/Button.tsx';
import { notify, notifyError } from '../../ui/Toasts.tsx';
import { loopsUrl } from '../../urls.ts';
import { ReasonDialog } from './ReasonDialog.tsx';

const LoopDialog = lazy(() =>
  import('../../features/loop/LoopDialog.tsx').then((module) => ({ default: module.LoopDialog })),
);

/** Starts a turn, pauses, resumes, changes and deletes the loop. */
export function LoopActions({ loop }: { loop: LoopWithTurns }) {
  const project = useProject();
  const navigate = useNavigate();
  const [, change] = useSearchState();
  const [opened, setOpened] = useState<'pause' | 'change' | 'delete' | null>(null);
  const close = () => setOpened(null);
  const { name } = loop;
  const start = useMutation({
    mutationFn: () => startTurn(project, name),
    onSuccess: (number) => {
      notify(`Turn ${number} has started`);
      change({ turn: undefined });
    },
    onError: notifyError,
  });
  const resume = useMutation({
    mutationFn: () => resumeLoop(project, name),
    onSuccess: () => notify('The loop goes on'),
    onError: notifyError,
  });
  const isPaused = loop.paused_at !== null;
  return (
    <>
      {!isPaused && !loop.turns.some(isRunning) && (
        <Button kind="primary" icon="play" disabled={start.isPending} onClick={() => start.mutate()}>
          Start a turn
        </Button>
      )}
      {isPaused ? (
        <Button kind="primary" icon="play" disabled={resume.isPending} onClick={() => resume.mutate()}>
          Resume
        </Button>
      ) : (
        <Button icon="pause" onClick={() => setOpened('pause')}>
          Pause
        </Button>
      )}
      <Button icon="pencil" onClick={() => setOpened('change')}>
        Change the plan
      </Button>
      <Button icon="trash" kind="danger" onClick={() => setOpened('delete')}>
        Delete
      </Button>
      {opened === 'pause' && (
        <ReasonDialog
          title={`Pause ${name}?`}
          description="No further phase, stage or turn begins. What runs already, such as training, ends."
          action="Pause"
          run={async (reason) => {
            await pauseLoop(project, name, reason);
            notify('The loop is paused');
          }}
          onClose={close}
        />
      )}
      {opened === 'change' && (
        <Suspense>
          <LoopDialog loop={loop} onClose={close} />
        </Suspense>
      )}
      {opened === 'delete' && (
        <ConfirmDialog
          title={`Delete ${name}?`}
          description="Its turns are deleted, and an open one is canceled. Its models, gates and the versions of its policy stay."
          action="Delete the loop"
          run={async () => {
            await deleteLoop(project, name);
            notify(`Deleted ${name}`);
            await navigate({ to: loopsUrl(project) });
          }}
          onClose={close}
        />
      )}
    </>
  );
}
