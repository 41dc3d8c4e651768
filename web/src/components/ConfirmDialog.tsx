import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Button } from '../ui/Button.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { FormError } from '../ui/FormError.tsx';

type ConfirmDialogProps = {
  title: string;
  /** What the user loses. */
  description: ReactNode;
  /** The word on the button, such as `Delete`. */
  action: string;
  /** The word on the button that changes nothing. */
  stay?: string;
  run: () => Promise<unknown>;
  onClose: () => void;
};

/** Asks before something that cannot be undone, and stays open with the error if it fails. */
export function ConfirmDialog({ title, description, action, stay = 'Cancel', run, onClose }: ConfirmDialogProps) {
  const mutation = useMutation({ mutationFn: run, onSuccess: onClose });
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={title}
      description={description}
      actions={
        <>
          <Button onClick={onClose}>{stay}</Button>
          <Button kind="danger" disabled={mutation.isPending} onClick={() => mutation.mutate()}>
            {action}
          </Button>
        </>
      }
    >
      <FormError error={mutation.error} />
    </Dialog>
  );
}
