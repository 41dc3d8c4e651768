import { useMutation } from '@tanstack/react-query';
import type { FormEvent, ReactNode } from 'react';
import { Button } from '../ui/Button.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { FormError } from '../ui/FormError.tsx';
import styles from './FormDialog.module.css';

type FormDialogProps = {
  title: string;
  description?: ReactNode;
  /** The word on the button that sends the form. */
  action: string;
  isComplete: boolean;
  /** Sends the form. What follows, such as closing the dialog, is up to it. */
  run: () => Promise<unknown>;
  onClose: () => void;
  children: ReactNode;
};

/** A form in a dialog. If it is rejected, it stays open and shows the reason. */
export function FormDialog({ title, description, action, isComplete, run, onClose, children }: FormDialogProps) {
  const mutation = useMutation({ mutationFn: run });
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (isComplete && !mutation.isPending) mutation.mutate();
  };
  return (
    <Dialog isOpen onClose={onClose} title={title} description={description}>
      <form className={styles.form} onSubmit={onSubmit} autoComplete="off">
        {children}
        <FormError error={mutation.error} />
        <div className={styles.actions}>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={!isComplete || mutation.isPending}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
