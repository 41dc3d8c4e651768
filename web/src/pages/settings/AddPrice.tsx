import { type ComponentProps, useState } from 'react';
import { ask } from '../../api/client.ts';
import { FormDialog } from '../../components/FormDialog.tsx';
import { TextField } from '../../ui/TextField.tsx';
import styles from './AddPrice.module.css';

type AddPriceProps = { projectId: string; model?: string | undefined; onAdded: () => unknown; onClose: () => void };

export function AddPrice({ projectId, model: named = '', onAdded, onClose }: AddPriceProps) {
  const [model, setModel] = useState(named);
  const [date, setDate] = useState('');
  const input = usePrice();
  const output = usePrice();
  const cacheRead = usePrice();
  const cacheWrite = usePrice();
  const prices = [input, output, cacheRead, cacheWrite];
  return (
    <FormDialog
      title="Add a price"
      description="In US dollars for a million tokens. Earlier prices of the model apply until this one starts."
      action="Add"
      isComplete={
        model.trim() !== '' && input.text !== '' && output.text !== '' && prices.every(({ value }) => value !== null)
      }
      run={async () => {
        const price = {
          prompt_token_cost: input.value!,
          completion_token_cost: output.value!,
          cache_read_input_token_cost: cacheRead.value!,
          cache_creation_input_token_cost: cacheWrite.value!,
          effective_date: date === '' ? null : date,
        };
        await ask('POST /cost/create', { body: { project_id: projectId, costs: { [model.trim()]: price } } });
        await onAdded();
        onClose();
      }}
      onClose={onClose}
    >
      <TextField
        label="Model"
        hint="As the usage of calls names it, such as gpt-4o-2024-08-06."
        value={model}
        autoFocus
        spellCheck={false}
        onChange={(event) => setModel(event.target.value)}
      />
      <div className={styles.pair}>
        <TextField label="Input tokens" {...input.field} />
        <TextField label="Output tokens" {...output.field} />
        <TextField label="Cache reads (optional)" {...cacheRead.field} />
        <TextField label="Cache writes (optional)" {...cacheWrite.field} />
      </div>
      <TextField
        label="In force since (optional)"
        type="date"
        hint="From now on, if left empty."
        value={date}
        onChange={(event) => setDate(event.target.value)}
      />
    </FormDialog>
  );
}

/** The field of a price for a million tokens. `value` is that of a single token, and null for text that is not a price. */
function usePrice() {
  const [text, setText] = useState('');
  const millions = text === '' ? 0 : Number(text);
  const isPrice = Number.isFinite(millions) && millions >= 0;
  const field: Partial<ComponentProps<typeof TextField>> = {
    value: text,
    inputMode: 'decimal',
    placeholder: '0.00',
    error: isPrice ? undefined : 'Enter a number of dollars, such as 2.50',
    onChange: (event) => setText(event.target.value.trim()),
  };
  return { text, field, value: isPrice ? millions / 1e6 : null };
}
