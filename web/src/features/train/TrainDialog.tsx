import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { readAgain } from '../../api/read-again.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { Loading } from '../../ui/Status.tsx';
import { notify } from '../../ui/Toasts.tsx';
import { projectAddressOf, projectUrl } from '../../urls.ts';
import { PlanFields } from './PlanFields.tsx';
import { PreviewView } from './PreviewView.tsx';
import { SuiteMatches } from './SuiteMatches.tsx';
import styles from './TrainDialog.module.css';
import type { CallsToTrain } from './TrainOnThese.tsx';
import { firstPlan, nothingToLearn, type Plan, previewPlan, startPlan } from './training-plan.ts';

/** Chooses how to train, shows what a job would learn from, and starts it. */
export function TrainDialog({ calls, onClose }: { calls: CallsToTrain; onClose: () => void }) {
  const [plan, setPlan] = useState(firstPlan);
  const navigate = useNavigate();
  const preview = useMutation({ mutationFn: () => previewPlan(plan, calls) });
  const start = useMutation({
    mutationFn: () => startPlan(plan, preview.data!, calls.projectId),
    onSuccess: async () => {
      notify('The job is queued');
      await readAgain({ queryKey: ['trained-models', calls.projectId] });
      onClose();
      await navigate({
        to: projectUrl(projectAddressOf(calls.projectId), 'training'),
        search: { model: plan.model.trim() } as never,
      });
    },
  });
  const change = (changes: Partial<Plan>) => {
    setPlan({ ...plan, ...changes });
    preview.reset(); // the preview no longer matches the form
  };
  const isComplete = plan.model.trim() !== '' && (plan.kind === 'sft' || plan.reward.trim() !== '');
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (isComplete && !preview.isPending) preview.mutate();
  };
  const reason = preview.data && nothingToLearn(preview.data);
  const { size } = calls.selected;
  return (
    <Dialog
      isOpen
      isWide
      onClose={onClose}
      title={size > 0 ? `Train on ${size} ${size === 1 ? 'call' : 'calls'}` : 'Train on the calls of this list'}
      description="Chats among the calls become training data. Nothing starts before you have seen the preview."
    >
      <form className={styles.form} onSubmit={onSubmit}>
        <PlanFields plan={plan} projectId={calls.projectId} onChange={change} />
        <FormError error={preview.error ?? start.error} />
        {preview.isPending && <Loading label="Preparing the preview" lines={4} />}
        {preview.data && <PreviewView preview={preview.data} />}
        {preview.data && preview.data.found.suite_rows_found > 0 && (
          <SuiteMatches
            found={preview.data.found}
            isAllowed={plan.allowsSuiteRows}
            onAllow={(allowsSuiteRows) => setPlan({ ...plan, allowsSuiteRows })}
          />
        )}
        {reason && (
          <p className={styles.reason} role="alert">
            {reason}
          </p>
        )}
        <div className={styles.actions}>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind={preview.data ? 'normal' : 'primary'} disabled={!isComplete || preview.isPending}>
            {preview.isPending ? 'Preparing…' : 'Preview'}
          </Button>
          {preview.data && reason === null && (
            <Button
              kind="primary"
              disabled={start.isPending || (preview.data.found.suite_rows_found > 0 && !plan.allowsSuiteRows)}
              onClick={() => start.mutate()}
            >
              Start training
            </Button>
          )}
        </div>
      </form>
    </Dialog>
  );
}
