import { useState } from 'react';
import { ask } from '../../api/client.ts';
import { readAgain } from '../../api/read-again.ts';
import type { TrainingJob } from '../../api/training.ts';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { Button } from '../../ui/Button.tsx';
import { notify } from '../../ui/Toasts.tsx';

export function CancelJob({ job, number }: { job: TrainingJob; number: number }) {
  const [isAsking, setIsAsking] = useState(false);
  const cancel = async () => {
    const { status } = await ask('POST /v1/preview/training-jobs/{job_id}/cancel', { params: { job_id: job.id } });
    notify(status === 'failed' ? `Job #${number} is canceled` : 'The job had already ended');
    await Promise.all([
      readAgain({ queryKey: ['training-jobs', job.model_id] }),
      readAgain({ queryKey: ['training-events', job.id] }),
    ]);
  };
  return (
    <>
      <Button icon="close" onClick={() => setIsAsking(true)}>
        Cancel job
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={`Cancel job #${number}?`}
          description="What it has learned so far is lost: a canceled job makes no checkpoint. Earlier checkpoints stay."
          action="Cancel the job"
          stay="Let it run"
          run={cancel}
          onClose={() => setIsAsking(false)}
        />
      )}
    </>
  );
}
