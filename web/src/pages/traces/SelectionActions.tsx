import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../api/client.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { Menu, MenuItem } from '../../ui/Menu.tsx';
import { notify, notifyError } from '../../ui/Toasts.tsx';
import { type ExportFormat, exportCalls, exportMax } from './export-calls.ts';
import type { Selection } from './traces-query.ts';

type SelectionActionsProps = { selection: Selection; selected: ReadonlySet<string>; onDone: () => void };

/** Export of the selected calls, or of all that the list shows, and deletion of the selected ones. */
export function SelectionActions({ selection, selected, onDone }: SelectionActionsProps) {
  const [isAsking, setIsAsking] = useState(false);
  const client = useQueryClient();
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
        count < exportMax ? `Exported ${count} calls` : `Exported the first ${exportMax} calls; use the API for more`,
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
      </Menu>
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
