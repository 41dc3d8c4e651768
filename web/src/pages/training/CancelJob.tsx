import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../api/client.ts';
import type { TrainingJob } from '../../api/training.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { notify, notifyError } from '../../ui/Toasts.tsx';

export function CancelJob({ job, number }: { job: TrainingJob; number: number }) {
  const [isAsking, setIsAsking] = useState(false);
  const client = useQueryClient();
  const cancel = useMutation({
    mutationFn: () => ask('POST /v1/preview/training-jobs/{job_id}/cancel', { params: { job_id: job.id } }),
    onSuccess: ({ status }) => notify(status === 'failed' ? `Job #${number} is canceled` : 'The job had already ended'),
    onError: notifyError,
    onSettled: async () => {
      setIsAsking(false);
      await client.invalidateQueries({ queryKey: ['training-jobs', job.model_id] });
      await client.invalidateQueries({ queryKey: ['training-events', job.id] });
    },
  });
  return (
    <>
      <Button icon="close" onClick={() => setIsAsking(true)}>
        Cancel job
      </Button>
      <Dialog
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        title={`Cancel job #${number}?`}
        description="What it has learned so far is lost: a canceled job makes no checkpoint. Earlier checkpoints stay."
        actions={
          <>
            <Button onClick={() => setIsAsking(false)}>Let it run</Button>
            <Button kind="danger" disabled={cancel.isPending} onClick={() => cancel.mutate()}>
              Cancel the job
            </Button>
          </>
        }
      />
    </>
  );
}
