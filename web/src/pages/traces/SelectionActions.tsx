import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ask } from '../../api/client.ts';
import { AddToQueue } from '../../components/queue/AddToQueue.tsx';
import { TrainOnThese } from '../../components/train/TrainOnThese.tsx';
import { useProject } from '../../hooks/use-project.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { Menu, MenuItem } from '../../ui/Menu.tsx';
import { notify, notifyError } from '../../ui/Toasts.tsx';
import { comparedCallsMax, compareUrl } from '../../urls.ts';
import { AddToDataset } from './add-to-dataset/AddToDataset.tsx';
import { type ExportFormat, exportCalls, exportMax } from './export/export-calls.ts';
import type { Selection } from './traces-query.ts';

/** The filter of a request takes this many ids. */
const addedMax = 1000;

type SelectionActionsProps = { selection: Selection; selected: ReadonlySet<string>; onDone: () => void };

/** Export of the selected calls, or of all that the list shows; comparison and deletion of the selected ones. */
export function SelectionActions({ selection, selected, onDone }: SelectionActionsProps) {
  const [isAsking, setIsAsking] = useState(false);
  const [isAdding, setIsAdding] = useState(false);
  const client = useQueryClient();
  const navigate = useNavigate();
  const project = useProject();
  const ids = [...selected];
  const deletion = useMutation({
    mutationFn: () => ask('POST /calls/delete', { body: { project_id: selection.projectId, call_ids: ids } }),
    onSuccess: ({ num_deleted }) => {
      notify(`Deleted ${num_deleted} ${num_deleted === 1 ? 'call' : 'calls'}`);
      setIsAsking(false);
      onDone();
      return client.invalidateQueries({ queryKey: ['calls', selection.projectId] });
    },
  });
  const exporting = useMutation({
    mutationFn: (format: ExportFormat) => exportCalls(selection, ids, format),
    onSuccess: (count) =>
      notify(
        count < exportMax
          ? `Exported ${count} ${count === 1 ? 'call' : 'calls'}`
          : `Exported the first ${exportMax} calls; use the API for more`,
      ),
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
      {isAdding && <AddToDataset callIds={ids} onClose={() => setIsAdding(false)} />}
      {ids.length > 0 && (
        <Button icon="trash" kind="danger" onClick={() => setIsAsking(true)}>
          Delete {ids.length}
        </Button>
      )}
      <Dialog
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        title={`Delete ${ids.length} ${ids.length === 1 ? 'call' : 'calls'}?`}
        description={deletion.error?.message ?? 'All calls below them are deleted too. This cannot be undone.'}
        actions={
          <>
            <Button onClick={() => setIsAsking(false)}>Cancel</Button>
            <Button kind="danger" disabled={deletion.isPending} onClick={() => deletion.mutate()}>
              {deletion.isPending ? 'Deleting…' : 'Delete'}
            </Button>
          </>
        }
      />
    </>
  );
}
