import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { type Suite, startGate, suiteUseQuery } from '../../../api/gates.ts';
import { objectsQuery } from '../../../api/objects.ts';
import { readAgain } from '../../../api/read-again.ts';
import { useProject } from '../../../features/use-project.ts';
import { formatCount, formatNumber } from '../../../format/numbers.ts';
import { refTitle } from '../../../refs.ts';
import { Button } from '../../../ui/Button.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { FormError } from '../../../ui/FormError.tsx';
import { Select } from '../../../ui/Select.tsx';
import { notify } from '../../../ui/Toasts.tsx';
import { Budget } from './Budget.tsx';
import { Guardrails } from './Guardrails.tsx';
import { firstForm, type GateForm, isComplete, requestOf, scorersOf, targetOf } from './gate-form.ts';
import { Models } from './Models.tsx';
import { Scorers } from './Scorers.tsx';
import styles from './StartGate.module.css';
import { Target } from './Target.tsx';
import { Watched } from './Watched.tsx';

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
  const { data: objects = [] } = useQuery(objectsQuery(project.id));
  const { data: use } = useQuery(suiteUseQuery(project, form.suite));
  const published = objects
    .filter(({ base_object_class }) => base_object_class === 'Model')
    .map(({ object_id }) => object_id);
  const change = (changes: Partial<GateForm>) => setForm({ ...form, ...changes });
  const start = useMutation({
    mutationFn: () => startGate(project, requestOf(form, published)),
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
        {use && (
          <p className={use.candidates_left === 0 ? styles.due : styles.hint}>
            {`This candidate is tested at α = ${formatNumber(use.next_alpha)}.`}
            {use.candidates_left === 0 && ' The suite has too few threads for that: fresh rows are due.'}
          </p>
        )}
        <Models form={form} published={published} onChange={change} />
        <Scorers form={form} onChange={change} />
        <Target form={form} onChange={change} />
        <Guardrails
          guardrails={form.guardrails}
          scorers={scorersOf(form)}
          onChange={(guardrails) => change({ guardrails })}
        />
        <Watched
          watched={form.watched}
          dataset={chosen?.dataset ?? ''}
          target={targetOf(form)}
          scorers={scorersOf(form)}
          onChange={(watched) => change({ watched })}
        />
        <Budget form={form} onChange={change} />
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
