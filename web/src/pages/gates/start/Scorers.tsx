import { useId } from 'react';
import fieldStyles from '../../../components/FieldList.module.css';
import { FieldList } from '../../../components/FieldList.tsx';
import { useScorerNames } from '../../../features/gate/use-scorer-names.ts';
import { TextField } from '../../../ui/TextField.tsx';
import type { GateForm } from './gate-form.ts';

type ScorersProps = { form: GateForm; onChange: (changes: Partial<GateForm>) => void };

/** What scores the answers. */
export function Scorers({ form, onChange }: ScorersProps) {
  const listId = useId();
  const names = useScorerNames();
  return (
    <>
      <FieldList
        title="Scorers"
        noun="scorer"
        hint="Published scorers, or rules such as exact_match, which compares the answer with the column expected."
        items={form.scorers}
        next=""
        onChange={(scorers) => onChange({ scorers })}
      >
        {(scorer, changeTo) => (
          <TextField
            label="Scorer"
            isLabelHidden
            className={fieldStyles.grows ?? ''}
            list={listId}
            placeholder="exact_match"
            spellCheck={false}
            value={scorer}
            onChange={({ target }) => changeTo(target.value)}
          />
        )}
      </FieldList>
      <datalist id={listId}>
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}
