import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { servedModelsQuery } from '../../../api/chat-models.ts';
import { type Suite, startGate } from '../../../api/gates.ts';
import { objectsQuery } from '../../../api/objects.ts';
import { readAgain } from '../../../api/read-again.ts';
import fieldStyles from '../../../components/FieldList.module.css';
import { FieldList } from '../../../components/FieldList.tsx';
import { useScorerNames } from '../../../features/gate/use-scorer-names.ts';
import { useProject } from '../../../features/use-project.ts';
import { formatCount } from '../../../format/numbers.ts';
import { refTitle } from '../../../refs.ts';
import { Button } from '../../../ui/Button.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { FormError } from '../../../ui/FormError.tsx';
import { numberField } from '../../../ui/number-field.ts';
import { Select } from '../../../ui/Select.tsx';
import { TextField } from '../../../ui/TextField.tsx';
import { notify } from '../../../ui/Toasts.tsx';
import { Guardrails } from './Guardrails.tsx';
import { firstForm, type GateForm, isComplete, requestOf, targetOf } from './gate-form.ts';
import { Slices } from './Slices.tsx';
import styles from './StartGate.module.css';

type StartGateProps = {
  /** Those for gates. */
  suites: Suite[];
  /** The one that is chosen at first; otherwise the first. */
  suite: string | undefined;
  onClose: () => void;
  onStarted: (gateId: string) => void;
};

/** Plans a gate and starts it. */
export function StartGate({ suites, suite, onClose, onStarted }: StartGateProps) {
  const project = useProject();
  const [form, setForm] = useState(() => firstForm(suite ?? suites[0]?.name ?? ''));
  const change = (changes: Partial<GateForm>) => setForm({ ...form, ...changes });
  const start = useMutation({
    mutationFn: () => startGate(project, requestOf(form)),
    onSuccess: async ({ id }) => {
      notify('The gate is started');
      void readAgain({ queryKey: ['gates', project.id] });
      onClose();
      onStarted(id);
    },
  });
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (isComplete(form) && !start.isPending) start.mutate();
  };
  const chosen = suites.find(({ name }) => name === form.suite);
  return (
    <Dialog
      isOpen
      isWide
      onClose={onClose}
      title="Start a gate"
      description="The plan is stored before the first answer, and uses a part of the suite's α."
    >
      <form className={styles.form} onSubmit={onSubmit} autoComplete="off">
        <Select
          label="Suite"
          value={form.suite}
          options={suites.map(({ name, dataset, row_count }) => ({
            value: name,
            label: `${name} (${refTitle(dataset)}, ${formatCount(row_count)} ${row_count === 1 ? 'row' : 'rows'})`,
          }))}
          onChange={(name) => change({ suite: name })}
        />
        <Models form={form} onChange={change} />
        <Scorers form={form} onChange={change} />
        <div className={styles.pair}>
          <TextField
            label="Target metric"
            hint="What must get better: a score, or a number in it such as judge.helpful."
            placeholder={targetOf(form) || 'exact_match'}
            spellCheck={false}
            value={form.target}
            onChange={({ target }) => change({ target: target.value })}
          />
          <TextField
            label="Smallest gain that matters"
            hint="0.05 is five percentage points of a score from 0 to 1. Smaller gains need more rows."
            {...numberField(form.gain, (gain) => change({ gain }))}
          />
        </div>
        <Guardrails
          guardrails={form.guardrails}
          target={targetOf(form)}
          onChange={(guardrails) => change({ guardrails })}
        />
        <Slices slices={form.watched} dataset={chosen?.dataset ?? ''} onChange={(watched) => change({ watched })} />
        <div className={styles.pair}>
          <TextField
            label="Rows (optional)"
            hint="The most rows that are answered. Default: the whole suite."
            {...numberField(form.rowsMax, (rowsMax) => change({ rowsMax }))}
          />
          <TextField
            label="Repeats"
            hint="Answers of each model to each row."
            {...numberField(form.repeats, (repeats) => change({ repeats }))}
          />
        </div>
        <FormError error={start.error} />
        <div className={styles.actions}>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={!isComplete(form) || start.isPending}>
            {start.isPending ? 'Starting…' : 'Start the gate'}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

type PartProps = { form: GateForm; onChange: (changes: Partial<GateForm>) => void };

function Models({ form, onChange }: PartProps) {
  const { id: projectId } = useProject();
  const listId = useId();
  const { data: objects = [] } = useQuery(objectsQuery(projectId));
  const { data: served = [] } = useQuery(servedModelsQuery(projectId));
  const published = objects.filter(({ base_object_class }) => base_object_class === 'Model');
  const names = new Set([...published.map(({ object_id }) => object_id), ...served.map(({ id }) => id)]);
  const field = { list: listId, spellCheck: false, placeholder: 'my-model or my-model:v2' };
  return (
    <div className={styles.pair}>
      <TextField
        label="Candidate"
        hint="A published completion model, or a model that heddle serves."
        autoFocus
        {...field}
        value={form.candidate}
        onChange={({ target }) => onChange({ candidate: target.value })}
      />
      <TextField
        label="Incumbent"
        hint="The model that the candidate would replace."
        {...field}
        value={form.incumbent}
        onChange={({ target }) => onChange({ incumbent: target.value })}
      />
      <datalist id={listId}>
        {[...names].map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </div>
  );
}

function Scorers({ form, onChange }: PartProps) {
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
