import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { ask } from '../../api/client.ts';
import { queuesQuery } from '../../api/queues.ts';
import { readAgain } from '../../api/read-again.ts';
import { formatCount } from '../../format/numbers.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { Select } from '../../ui/Select.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { queueUrl } from '../../urls.ts';
import { useProject } from '../use-project.ts';
import styles from './QueueDialog.module.css';
import { QueueDialog } from './QueueDialog.tsx';

/** Asks for the queue that calls are added to, existing or new. */
export function AddToQueueDialog({ callIds, onClose }: { callIds: string[]; onClose: (isAdded: boolean) => void }) {
  const project = useProject();
  const { data, error } = useInfiniteQuery(queuesQuery(project.id));
  const queues = data?.pages.flat() ?? [];
  const [chosen, setChosen] = useState<string | null>(null);
  const [fields, setFields] = useState('');
  const [isMaking, setIsMaking] = useState(false);
  const queueId = chosen ?? queues[0]?.id ?? '';
  const adding = useMutation({
    mutationFn: () => {
      const display_fields = fields
        .split(',')
        .map((field) => field.trim())
        .filter(Boolean);
      const body = { project_id: project.id, call_ids: callIds, display_fields };
      return ask('POST /annotation_queues/{queue_id}/items', { params: { queue_id: queueId }, body });
    },
    onSuccess: () => readAgain({ queryKey: ['queues', project.id] }),
  });
  if (isMaking) {
    return (
      <QueueDialog
        queue={null}
        onClose={() => setIsMaking(false)}
        onSaved={(id) => {
          setChosen(id);
          setIsMaking(false);
        }}
      />
    );
  }
  const count = `${formatCount(callIds.length)} ${callIds.length === 1 ? 'call' : 'calls'}`;
  const fault = adding.error ?? error;
  if (adding.data) {
    const { added_count: added, duplicates } = adding.data;
    return (
      <Dialog
        isOpen
        onClose={() => onClose(true)}
        title={`Added ${formatCount(added)} of ${count}`}
        description={
          duplicates > 0 ? `${formatCount(duplicates)} ${duplicates === 1 ? 'was' : 'were'} in the queue already.` : ''
        }
        actions={
          <>
            <Link to={queueUrl(project, queueId)}>Annotate the queue</Link>
            <Button kind="primary" onClick={() => onClose(true)}>
              Close
            </Button>
          </>
        }
      />
    );
  }
  return (
    <Dialog
      isOpen
      onClose={() => onClose(false)}
      title={`Add ${count} to a queue`}
      description="Annotators see the calls as they are, and answer the questions of the queue."
      actions={
        <>
          <Button icon="plus" onClick={() => setIsMaking(true)}>
            New queue
          </Button>
          <Button kind="primary" disabled={queueId === '' || adding.isPending} onClick={() => adding.mutate()}>
            {adding.isPending ? 'Adding…' : 'Add'}
          </Button>
        </>
      }
    >
      <div className={styles.form}>
        {queues.length > 0 ? (
          <Select
            label="Queue"
            value={queueId}
            options={queues.map(({ id, name }) => ({ value: id, label: name }))}
            onChange={setChosen}
          />
        ) : (
          data && <p>This project has no queue yet. Make one first.</p>
        )}
        <TextField
          label="Fields to show"
          placeholder="inputs.question, output"
          hint="Separated by commas. Leave it empty to show the whole inputs and output."
          value={fields}
          onChange={(event) => setFields(event.target.value)}
        />
        <FormError error={fault} />
      </div>
    </Dialog>
  );
}
