import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { ask } from '../../api/client.ts';
import { readAgain } from '../../api/read-again.ts';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { StartLoop } from '../../features/loop/StartLoop.tsx';
import { AddToQueue } from '../../features/queue/AddToQueue.tsx';
import { TrainOnThese } from '../../features/train/TrainOnThese.tsx';
import { useProject } from '../../features/use-project.ts';
import { Button } from '../../ui/Button.tsx';
import { Menu, MenuItem } from '../../ui/Menu.tsx';
import { notify, notifyError } from '../../ui/Toasts.tsx';
import { comparedCallsMax, compareUrl } from '../../urls.ts';
import type { ExportFormat } from './export/export-calls.ts';
import type { LoopChats } from './loop-chats.ts';
import type { Selection } from './traces-query.ts';

const AddToDataset = lazy(() =>
  import('./add-to-dataset/AddToDataset.tsx').then((module) => ({ default: module.AddToDataset })),
);

/** The filter of a request takes this many ids. */
const addedMax = 1000;

type SelectionActionsProps = {
  selection: Selection;
  selected: ReadonlySet<string>;
  /** Which chats a loop would collect; null while the filter cannot be read. */
  chats: LoopChats | null;
  onDone: () => void;
};

/** Export of the selected calls, or of all that the list shows; comparison and deletion of the selected ones. */
export function SelectionActions({ selection, selected, chats, onDone }: SelectionActionsProps) {
  const [isAsking, setIsAsking] = useState(false);
  const [isAdding, setIsAdding] = useState(false);
  const navigate = useNavigate();
  const project = useProject();
  const ids = [...selected];
  const deleteCalls = async () => {
    const body = { project_id: selection.projectId, call_ids: ids };
    const { num_deleted } = await ask('POST /calls/delete', { body });
    notify(`Deleted ${num_deleted} ${num_deleted === 1 ? 'call' : 'calls'}`);
    setIsAsking(false);
    onDone();
    void readAgain({ queryKey: ['calls', selection.projectId] });
  };
  const exporting = useMutation({
    mutationFn: async (format: ExportFormat) => {
      const { exportCalls } = await import('./export/export-calls.ts');
      return exportCalls(selection, ids, format);
    },
    onSuccess: (result) => notify(result),
    onError: notifyError,
  });
  const item = (format: ExportFormat, title: string) => (
    <MenuItem icon="download" onSelect={() => exporting.mutate(format)}>
      {title}
    </MenuItem>
  );
  return (
    <>
      <Menu
        align="end"
        trigger={
          <Button icon="download" disabled={exporting.isPending}>
            {exporting.isPending ? 'Exporting…' : ids.length > 0 ? `Export ${ids.length}` : 'Export'}
          </Button>
        }
      >
        {item('csv', 'As CSV')}
        {item('jsonl', 'As JSON lines')}
        {item('parquet', 'As Parquet')}
      </Menu>
      {ids.length > 1 && (
        <Button
          icon="columns"
          disabled={ids.length > comparedCallsMax}
          title={ids.length > comparedCallsMax ? `Select at most ${comparedCallsMax} calls to compare them` : undefined}
          onClick={() => void navigate({ to: compareUrl(project, ids) })}
        >
          Compare {ids.length}
        </Button>
      )}
      {ids.length > 0 && <AddToQueue callIds={ids} onDone={onDone} />}
      <TrainOnThese {...selection} selected={selected} />
      {ids.length === 0 && <StartLoop chats={chats} />}
      {ids.length > 0 && (
        <Button
          icon="table"
          disabled={ids.length > addedMax}
          title={ids.length > addedMax ? `Select at most ${addedMax} calls to add them to a dataset` : undefined}
          onClick={() => setIsAdding(true)}
        >
          Add to dataset
        </Button>
      )}
      {isAdding && (
        <Suspense>
          <AddToDataset callIds={ids} onClose={() => setIsAdding(false)} />
        </Suspense>
      )}
      {ids.length > 0 && (
        <Button icon="trash" kind="danger" onClick={() => setIsAsking(true)}>
          Delete {ids.length}
        </Button>
      )}
      {isAsking && (
        <ConfirmDialog
          title={`Delete ${ids.length} ${ids.length === 1 ? 'call' : 'calls'}?`}
          description="All calls below them are deleted too. This cannot be undone."
          action="Delete"
          run={deleteCalls}
          onClose={() => setIsAsking(false)}
        />
      )}
    </>
  );
}
