import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { trainedModelsOnceQuery } from '../../api/chat-models.ts';
import type { Suite } from '../../api/gates.ts';
import type { Policy } from '../../api/policies.ts';
import { savedViewsQuery } from '../../api/saved-views.ts';
import { formatCount } from '../../format/numbers.ts';
import { refTitle } from '../../refs.ts';
import { numberField } from '../../ui/number-field.ts';
import { Select } from '../../ui/Select.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { useScorerNames } from '../gate/use-scorer-names.ts';
import { useProject } from '../use-project.ts';
import { FoldedFields } from './FoldedFields.tsx';
import styles from './LoopForm.module.css';
import type { LoopForm } from './loop-form.ts';
import type { DerivedWithChoices } from './use-derived.ts';
import { useScoreNames } from './use-score-names.ts';
import { whereText } from './where-text.ts';

export type FieldsProps = { form: LoopForm; onChange: (changes: Partial<LoopForm>) => void };

type LoopFieldsProps = FieldsProps & {
  derived: DerivedWithChoices;
  suites: Suite[];
  policies: Policy[];
  isNew: boolean;
  chatsNote: string | null;
};

/** The fields that a loop needs, and folded below them those with defaults. */
export function LoopFields({ form, onChange, derived, suites, policies, isNew, chatsNote }: LoopFieldsProps) {
  const project = useProject();
  const { data: trained = [] } = useQuery(trainedModelsOnceQuery(project));
  const scores = useScoreNames();
  const scorers = useScorerNames();
  const lists = { scores: useId(), scorers: useId(), models: useId() };
  return (
    <>
      <div className={styles.pair}>
        {isNew && (
          <TextField
            label="Name"
            placeholder="support"
            autoFocus
            spellCheck={false}
            value={form.name}
            onChange={({ target }) => onChange({ name: target.value })}
          />
        )}
        <TextField
          label="Model"
          hint="The model that is trained. Each turn adds a checkpoint; a new name creates a model."
          placeholder="support-model"
          list={lists.models}
          spellCheck={false}
          value={form.model}
          onChange={({ target }) => onChange({ model: target.value })}
        />
      </div>
      <Chats form={form} note={chatsNote} onChange={onChange} />
      <TextField
        label="Score"
        hint="Chats with a good score become training data: a scorer, an annotation, feedback, or a field such as output.score."
        placeholder="feedback.[thumbs].payload.up"
        list={lists.scores}
        spellCheck={false}
        value={form.reward}
        onChange={({ target }) => onChange({ reward: target.value })}
      />
      <div className={styles.pair}>
        <Select
          label="Suite"
          value={form.suite}
          options={orNone(
            suites.map(({ name, dataset, row_count }) => ({
              value: name,
              label: `${name} (${refTitle(dataset)}, ${formatCount(row_count)} ${row_count === 1 ? 'row' : 'rows'})`,
            })),
            form.suite,
          )}
          onChange={(suite) => onChange({ suite })}
        />
        <Select
          label="Policy"
          value={form.policy}
          options={orNone(
            policies.map(({ name }) => ({ value: name, label: name })),
            form.policy,
          )}
          onChange={(policy) => onChange({ policy })}
        />
        <TextField
          label="Gate scorer"
          hint="Scores the answers to the suite. It must be another one than the score above."
          placeholder="exact_match"
          list={lists.scorers}
          spellCheck={false}
          value={form.scorer}
          onChange={({ target }) => onChange({ scorer: target.value })}
        />
        <TextField
          label="Smallest gain that matters"
          hint="0.05 is five percentage points of a score from 0 to 1."
          {...numberField(form.gain, (gain) => onChange({ gain }))}
        />
      </div>
      <FoldedFields form={form} onChange={onChange} derived={derived} scoresList={lists.scores} />
      <datalist id={lists.scores}>{scores.map(optionOf)}</datalist>
      <datalist id={lists.scorers}>{scorers.map(optionOf)}</datalist>
      <datalist id={lists.models}>{trained.map(({ name }) => optionOf(name))}</datalist>
    </>
  );
}

function Chats({ form, note, onChange }: FieldsProps & { note: string | null }) {
  const { id: projectId } = useProject();
  const { data: views = [] } = useQuery(savedViewsQuery(projectId));
  const words = whereText(form.where);
  const isKnown = form.view === '' || views.some(({ name }) => name === form.view);
  return (
    <>
      <div className={styles.pair}>
        <Select
          label="Chats of a saved view"
          value={form.view}
          options={[
            { value: '', label: 'no view, only a condition' },
            ...(isKnown ? [] : [{ value: form.view, label: form.view }]),
            ...views.map(({ name, label }) => ({ value: name, label })),
          ]}
          onChange={(view) => onChange({ view })}
        />
        <TextField
          label={form.view === '' ? 'Condition on chats' : 'Condition on chats (optional)'}
          hint={
            words === null
              ? 'As in the filter of Traces, or JSON with filter and query.'
              : `In the words of the filter: ${words}`
          }
          placeholder="op_name~chat"
          spellCheck={false}
          value={form.where}
          onChange={({ target }) => onChange({ where: target.value })}
        />
      </div>
      {note && <p className={styles.note}>{note}</p>}
    </>
  );
}

/** The options of a select, of which the value is one even if the project has it no more. */
function orNone(options: { value: string; label: string }[], value: string) {
  if (options.some((each) => each.value === value)) return options;
  return [{ value, label: value === '' ? 'none yet' : value }, ...options];
}

function optionOf(name: string) {
  return <option key={name} value={name} />;
}
