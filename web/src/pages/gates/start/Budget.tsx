import { formatCount } from '../../../format/numbers.ts';
import { Fold } from '../../../ui/Fold.tsx';
import { isNumberOrEmpty, numberField } from '../../../ui/number-field.ts';
import { TextField } from '../../../ui/TextField.tsx';
import type { GateForm } from './gate-form.ts';

/** How many answers the gate may ask for, and the order of the threads. */
export function Budget({ form, onChange }: { form: GateForm; onChange: (changes: Partial<GateForm>) => void }) {
  return (
    <Fold summary={budgetText(form)}>
      <TextField
        label="Most rows"
        placeholder="the whole suite"
        {...numberField(form.rowsMax, (rowsMax) => onChange({ rowsMax }))}
      />
      <TextField
        label="Repeats"
        hint="Answers of each model to each row"
        {...numberField(form.repeats, (repeats) => onChange({ repeats }))}
      />
      <TextField
        label="Seed"
        hint="Gives the random order of threads"
        placeholder="random"
        spellCheck={false}
        value={form.seed}
        onChange={({ target }) => onChange({ seed: target.value })}
      />
    </Fold>
  );
}

function budgetText({ rowsMax, repeats }: GateForm): string {
  if (![rowsMax, repeats].every(isNumberOrEmpty)) return 'Budget';
  const rows = rowsMax === '' ? 'up to the whole suite' : `up to ${formatCount(Number(rowsMax))} rows`;
  const answers = Number(repeats) === 1 ? 'one answer' : `${formatCount(Number(repeats))} answers`;
  return `Budget: ${rows}, ${answers} of each model to each row`;
}
