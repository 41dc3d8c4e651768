import type { ReactNode } from 'react';
import fieldStyles from '../../components/FieldList.module.css';
import { FieldList } from '../../components/FieldList.tsx';
import { numberField } from '../../ui/number-field.ts';
import { Select } from '../../ui/Select.tsx';
import { TextField } from '../../ui/TextField.tsx';
import type { FieldsProps } from './LoopFields.tsx';
import styles from './LoopForm.module.css';
import { newGuard } from './loop-form.ts';
import type { DerivedWithChoices } from './use-derived.ts';

type FoldedProps = FieldsProps & { derived: DerivedWithChoices };

/** What has defaults: each part says in a line what holds now, and unfolds to its fields. */
export function FoldedFields({ form, onChange, derived, scoresList }: FoldedProps & { scoresList: string }) {
  const base = form.base ?? derived.base;
  return (
    <div className={styles.folds}>
      <Fold
        title="Training"
        now={`${form.kind === 'sft' ? `answers with a score of at least ${form.least}` : 'compares answers'}, over ${base || 'the default base model'}`}
      >
        <Training form={form} onChange={onChange} derived={derived} />
      </Fold>
      <Fold title="Test" now={testText(form.message ?? derived.message, form.target || form.scorer)}>
        <Test form={form} onChange={onChange} derived={derived} />
      </Fold>
      <Fold
        title="Rollout"
        now={`${form.stages.trim() === '' ? 'all traffic at once' : `${form.stages} %, then all traffic`}; ${form.units} units for each stage`}
      >
        <Rollout form={form} onChange={onChange} scoresList={scoresList} />
      </Fold>
      <Fold title="Budget" now={`at least ${form.rowsLeast || '20'} chats`}>
        <div className={styles.pair}>
          <TextField
            label="Fewest chats"
            hint="With fewer, a turn ends without training."
            {...numberField(form.rowsLeast, (rowsLeast) => onChange({ rowsLeast }))}
          />
          <TextField
            label="Most calls (optional)"
            hint="How many calls are read, the newest first."
            {...numberField(form.rowsMost, (rowsMost) => onChange({ rowsMost }))}
          />
          <TextField
            label="Most trained tokens (optional)"
            hint="Over all epochs. A turn with more ends without training."
            {...numberField(form.tokensMost, (tokensMost) => onChange({ tokensMost }))}
          />
        </div>
      </Fold>
      <Fold
        title="Approval and schedule"
        now={`${approverText(form.approver)}; ${form.everyHours === '' ? 'turns begin when somebody starts them' : `a turn every ${form.everyHours} h`}`}
      >
        <div className={styles.pair}>
          <TextField
            label="Approver (optional)"
            hint="Who is asked before a candidate gets traffic: a username, or anyone. Empty: nobody is asked."
            spellCheck={false}
            value={form.approver}
            onChange={({ target }) => onChange({ approver: target.value })}
          />
          <TextField
            label="A turn every … hours (optional)"
            hint="168 is a week. Empty: a turn begins when somebody starts it."
            {...numberField(form.everyHours, (everyHours) => onChange({ everyHours }))}
          />
        </div>
      </Fold>
    </div>
  );
}

function Fold({ title, now, children }: { title: string; now: string; children: ReactNode }) {
  return (
    <details className={styles.fold}>
      <summary>
        <span className={styles.foldTitle}>{title}</span> <span className={styles.foldNow}>{now}</span>
      </summary>
      <div className={styles.fields}>{children}</div>
    </details>
  );
}

function Training({ form, onChange, derived }: FoldedProps) {
  const bases = [...new Set([...derived.bases, ...(form.base ? [form.base] : [])])];
  return (
    <div className={styles.pair}>
      <Select
        label="Learn"
        value={form.kind}
        options={[
          { value: 'sft', label: 'good answers (supervised)' },
          { value: 'rl', label: 'which answers score best (RL)' },
        ]}
        onChange={(kind) => onChange({ kind })}
      />
      <Select
        label="Base model"
        value={form.base ?? derived.base}
        options={[{ value: '', label: 'the default of the server' }, ...bases.map((id) => ({ value: id, label: id }))]}
        onChange={(base) => onChange({ base })}
      />
      {form.kind === 'sft' ? (
        <>
          <TextField
            label="Smallest score"
            hint="Of an answer that is learned."
            {...numberField(form.least, (least) => onChange({ least }))}
          />
          <TextField label="Epochs" {...numberField(form.epochs, (epochs) => onChange({ epochs }))} />
        </>
      ) : (
        <TextField
          label="Group by"
          hint="Answers are compared within a group: the same prompt, the same value of a field, or all."
          spellCheck={false}
          value={form.groupBy}
          onChange={({ target }) => onChange({ groupBy: target.value })}
        />
      )}
      <TextField
        label="Learning rate (optional)"
        hint={`Default: ${form.kind === 'rl' ? '5e-6' : '5e-5'}. Small models need a higher one.`}
        {...numberField(form.learningRate, (learningRate) => onChange({ learningRate }))}
      />
      <TextField
        label="Wait for feedback (hours)"
        hint="Younger chats are left for the next turn."
        {...numberField(form.feedbackHours, (feedbackHours) => onChange({ feedbackHours }))}
      />
    </div>
  );
}

function Test({ form, onChange, derived }: FoldedProps) {
  const { columns } = derived;
  return (
    <>
      <TextField
        label="Message to the models"
        hint={
          columns.length === 0
            ? 'With columns of the suite in braces, such as {question}.'
            : `With columns of the suite in braces: ${columns.map((each) => `{${each}}`).join(' ')}`
        }
        spellCheck={false}
        value={form.message ?? derived.message}
        onChange={({ target }) => onChange({ message: target.value })}
      />
      <TextField
        label="System message (optional)"
        hint="The same as the policy uses."
        value={form.system}
        onChange={({ target }) => onChange({ system: target.value })}
      />
      <div className={styles.pair}>
        <TextField
          label="Target metric (optional)"
          hint="What must get better, such as judge.helpful. Default: the gate scorer."
          spellCheck={false}
          value={form.target}
          onChange={({ target }) => onChange({ target: target.value })}
        />
        <TextField
          label="Rows (optional)"
          hint="The most rows that are answered. Default: the whole suite."
          {...numberField(form.gateRows, (gateRows) => onChange({ gateRows }))}
        />
        <TextField
          label="Temperature (optional)"
          {...numberField(form.temperature, (temperature) => onChange({ temperature }))}
        />
        <TextField
          label="Most tokens of an answer (optional)"
          {...numberField(form.answerTokens, (answerTokens) => onChange({ answerTokens }))}
        />
      </div>
    </>
  );
}

function Rollout({ form, onChange, scoresList }: FieldsProps & { scoresList: string }) {
  return (
    <>
      <TextField
        label="Stages (%)"
        hint="Shares of traffic of the candidate, one after the other, before it gets all."
        value={form.stages}
        error={form.stages.split(',').every((each) => Number.isFinite(Number(each))) ? undefined : 'Enter numbers'}
        onChange={({ target }) => onChange({ stages: target.value })}
      />
      <div className={styles.pair}>
        <TextField
          label="Units for each stage"
          hint="Threads, users or requests of the candidate that must count for each score below."
          {...numberField(form.units, (units) => onChange({ units }))}
        />
        <TextField
          label="Hours of each stage"
          hint="How long it lasts at least."
          {...numberField(form.stageHours, (stageHours) => onChange({ stageHours }))}
        />
      </div>
      <FieldList
        title="Guards"
        noun="guard"
        hint="If a score of the candidate is shown to be worse by this harm, the policy returns its traffic."
        items={form.guards}
        next={newGuard}
        onChange={(guards) => onChange({ guards })}
      >
        {(guard, change) => (
          <>
            <TextField
              label="Guard score"
              list={scoresList}
              placeholder={form.reward || 'the score above'}
              spellCheck={false}
              value={guard.reward}
              onChange={({ target }) => change({ ...guard, reward: target.value })}
            />
            <TextField
              label="Window (hours)"
              className={fieldStyles.number ?? ''}
              {...numberField(guard.hours, (hours) => change({ ...guard, hours }))}
            />
            <TextField
              label="Harm"
              className={fieldStyles.number ?? ''}
              {...numberField(guard.harm, (harm) => change({ ...guard, harm }))}
            />
          </>
        )}
      </FieldList>
    </>
  );
}

function testText(message: string, metric: string): string {
  const asked = message === '' ? 'the column user_input' : message;
  return `asks ${asked}${metric === '' ? '' : `; ${metric} must get better`}`;
}

function approverText(approver: string): string {
  if (approver.trim() === '') return 'nobody is asked';
  return approver.trim() === 'anyone' ? 'anyone may answer' : `asks ${approver.trim()}`;
}
