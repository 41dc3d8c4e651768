import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { servedModelsQuery } from '../../api/chat-models.ts';
import { trainedModelsQuery } from '../../api/training.ts';
import { numberField } from '../../ui/number-field.ts';
import { Select } from '../../ui/Select.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { projectAddressOf } from '../../urls.ts';
import styles from './TrainDialog.module.css';
import type { Plan } from './training-plan.ts';

type PlanFieldsProps = { plan: Plan; projectId: string; onChange: (changes: Partial<Plan>) => void };

export function PlanFields({ plan, projectId, onChange }: PlanFieldsProps) {
  const modelsId = useId();
  const { data: trained = [] } = useQuery({
    ...trainedModelsQuery(projectAddressOf(projectId)),
    refetchInterval: false,
  });
  const { data: served = [] } = useQuery(servedModelsQuery(projectId));
  const known = trained.find(({ name }) => name === plan.model.trim());
  const bases = served.filter(({ parent }) => parent == null).map(({ id }) => id);
  return (
    <>
      <Select
        label="Learn"
        value={plan.kind}
        options={[
          { value: 'sft', label: 'the answers (supervised)' },
          { value: 'rl', label: 'which answers score best (RL)' },
        ]}
        onChange={(kind) => onChange({ kind })}
      />
      <div className={styles.pair}>
        <TextField
          label="Model"
          list={modelsId}
          hint={known ? `Trains ${known.name} further.` : 'A new name creates a model.'}
          placeholder="my-model"
          autoFocus
          spellCheck={false}
          value={plan.model}
          onChange={({ target }) => onChange({ model: target.value })}
        />
        <datalist id={modelsId}>
          {trained.map(({ id, name }) => (
            <option key={id} value={name} />
          ))}
        </datalist>
        {!known && (
          <Select
            label="Base model"
            value={plan.base}
            options={[
              { value: '', label: 'the default of the server' },
              ...bases.map((id) => ({ value: id, label: id })),
            ]}
            onChange={(base) => onChange({ base })}
          />
        )}
        {plan.kind === 'rl' ? (
          <RlFields plan={plan} onChange={onChange} />
        ) : (
          <SftFields plan={plan} onChange={onChange} />
        )}
        <TextField
          label="Learning rate (optional)"
          hint={`Default: ${plan.kind === 'rl' ? '5e-6' : '5e-5'}. Small models need a higher one.`}
          {...numberField(plan.learningRate, (learningRate) => onChange({ learningRate }))}
        />
      </div>
      {plan.kind === 'rl' ? (
        <Check
          label="Also train answers without logprobs, such as those of other models"
          isChecked={plan.trainsWithoutLogprobs}
          onChange={(trainsWithoutLogprobs) => onChange({ trainsWithoutLogprobs })}
        />
      ) : (
        <Check
          label="Train only the last answer of each conversation"
          isChecked={plan.trainsLastAnswer}
          onChange={(trainsLastAnswer) => onChange({ trainsLastAnswer })}
        />
      )}
    </>
  );
}

function RlFields({ plan, onChange }: Omit<PlanFieldsProps, 'projectId'>) {
  return (
    <>
      <TextField
        label="Reward"
        hint="A scorer, an annotation or a feedback type, with .PATH for a field of its value, or a field such as output.score."
        placeholder="correct"
        spellCheck={false}
        value={plan.reward}
        onChange={({ target }) => onChange({ reward: target.value })}
      />
      <TextField
        label="Group by"
        hint="Answers are compared within a group: the same prompt, the same value of a field, or all."
        spellCheck={false}
        value={plan.groupBy}
        onChange={({ target }) => onChange({ groupBy: target.value })}
      />
    </>
  );
}

function SftFields({ plan, onChange }: Omit<PlanFieldsProps, 'projectId'>) {
  return (
    <>
      <TextField label="Epochs" {...numberField(plan.epochs, (epochs) => onChange({ epochs }))} />
      <TextField
        label="Held out (%)"
        hint="Shows how well the model does on conversations that it does not learn."
        {...numberField(plan.heldOutPercent, (heldOutPercent) => onChange({ heldOutPercent }))}
      />
    </>
  );
}

type CheckProps = { label: string; isChecked: boolean; onChange: (isChecked: boolean) => void };

function Check({ label, isChecked, onChange }: CheckProps) {
  return (
    <label className={styles.check}>
      <input type="checkbox" checked={isChecked} onChange={({ target }) => onChange(target.checked)} />
      {label}
    </label>
  );
}
