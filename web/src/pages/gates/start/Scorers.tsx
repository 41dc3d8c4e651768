import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { objectsQuery } from '../../../api/objects.ts';
import { useProject } from '../../../features/use-project.ts';
import { TextField } from '../../../ui/TextField.tsx';
import { FieldList } from './FieldList.tsx';
import { type GateForm, ruleNames } from './gate-form.ts';
import styles from './StartGate.module.css';

type ScorersProps = { form: GateForm; onChange: (changes: Partial<GateForm>) => void };

/** What scores the answers. */
export function Scorers({ form, onChange }: ScorersProps) {
  const { id: projectId } = useProject();
  const listId = useId();
  const { data: objects = [] } = useQuery(objectsQuery(projectId));
  const published = objects.filter(({ base_object_class }) => base_object_class === 'Scorer');
  const names = new Set([...ruleNames, ...published.map(({ object_id }) => object_id)]);
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
            className={styles.grows ?? ''}
            list={listId}
            placeholder="exact_match"
            spellCheck={false}
            value={scorer}
            onChange={({ target }) => changeTo(target.value)}
          />
        )}
      </FieldList>
      <datalist id={listId}>
        {[...names].map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}
