import { useMutation } from '@tanstack/react-query';
import { ask } from '../../api/client.ts';
import { readAgain } from '../../api/read-again.ts';
import type { TrainingJob } from '../../api/training.ts';
import { Button } from '../../ui/Button.tsx';
import { notify, notifyError } from '../../ui/Toasts.tsx';

export function ResumeJob({ job, number }: { job: TrainingJob; number: number }) {
  const resume = useMutation({
    mutationFn: async () => {
      await ask('POST /v1/preview/training-jobs/{job_id}/resume', { params: { job_id: job.id } });
      notify(`Job #${number} continues`);
      await readAgain({ queryKey: ['training-jobs', job.model_id] });
    },
    onError: notifyError,
  });
  return (
    <Button icon="play" disabled={resume.isPending} onClick={() => resume.mutate()}>
      Resume job
    </Button>
  );
}
