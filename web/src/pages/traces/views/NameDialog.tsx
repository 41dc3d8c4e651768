import { useState } from 'react';
import { FormDialog } from '../../../components/FormDialog.tsx';
import { TextField } from '../../../ui/TextField.tsx';

type NameDialogProps = {
  title: string;
  initial: string;
  /** The views whose names cannot be given again. */
  taken: { label: string }[];
  onClose: () => void;
  onName: (name: string) => Promise<unknown>;
};

const nameMax = 100;

/** Asks for the name of a view. */
export function NameDialog({ title, initial, taken, onClose, onName }: NameDialogProps) {
  const [text, setText] = useState(initial);
  const name = text.trim();
  const isTaken = taken.some(({ label }) => label.toLowerCase() === name.toLowerCase());
  return (
    <FormDialog
      title={title}
      action="Save"
      isComplete={name !== '' && !isTaken}
      run={() => onName(name)}
      onClose={onClose}
    >
      <TextField
        label="Name"
        value={text}
        autoFocus
        maxLength={nameMax}
        error={isTaken ? 'Another view has this name' : undefined}
        onChange={(event) => setText(event.target.value)}
      />
    </FormDialog>
  );
}
