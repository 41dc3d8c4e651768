import { type FormEvent, useId, useRef, useState } from 'react';
import { Button } from '../../../ui/Button.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { TextField } from '../../../ui/TextField.tsx';

type NameDialogProps = {
  title: string;
  initial: string;
  /** The views whose names cannot be given again. */
  taken: { label: string }[];
  error: Error | null;
  isBusy: boolean;
  onClose: () => void;
  onName: (name: string) => void;
};

const nameMax = 100;

/** Asks for the name of a view. */
export function NameDialog({ title, initial, taken, error, isBusy, onClose, onName }: NameDialogProps) {
  const formId = useId();
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(initial);
  const name = text.trim();
  const isTaken = taken.some(({ label }) => label.toLowerCase() === name.toLowerCase());
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name !== '' && !isTaken && !isBusy) onName(name);
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={title}
      initialFocus={field}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form={formId} disabled={name === '' || isTaken || isBusy}>
            {isBusy ? 'Saving…' : 'Save'}
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={submit}>
        <TextField
          ref={field}
          label="Name"
          value={text}
          maxLength={nameMax}
          error={isTaken ? 'Another view has this name' : error?.message}
          onChange={(event) => setText(event.target.value)}
        />
      </form>
    </Dialog>
  );
}
