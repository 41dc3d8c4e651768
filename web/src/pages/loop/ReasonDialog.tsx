import { useState } from 'react';
import { FormDialog } from '../../components/FormDialog.tsx';
import { TextField } from '../../ui/TextField.tsx';

type ReasonDialogProps = {
  title: string;
  description: string;
  action: string;
  run: (reason: string) => Promise<unknown>;
  onClose: () => void;
};

/** Asks before something is done, and why. */
export function ReasonDialog({ title, description, action, run, onClose }: ReasonDialogProps) {
  const [reason, setReason] = useState('');
  return (
    <FormDialog
      {...{ title, description, action, onClose }}
      isComplete
      run={async () => {
        await run(reason.trim());
        onClose();
      }}
    >
      <TextField
        label="Reason (optional)"
        autoFocus
        value={reason}
        onChange={({ target }) => setReason(target.value)}
      />
    </FormDialog>
  );
}
