import { Fold } from '../../../ui/Fold.tsx';
import { TextField } from '../../../ui/TextField.tsx';
import { FieldList } from './FieldList.tsx';
import { type GuardrailForm, newGuardrail } from './gate-form.ts';
import { Kind, Limits, MetricName, Range, rangeText } from './MetricFields.tsx';
import { numberField } from './number-field.ts';
import styles from './StartGate.module.css';

type GuardrailsProps = {
  guardrails: GuardrailForm[];
  scorers: string[];
  onChange: (guardrails: GuardrailForm[]) => void;
};

/** What must not get worse by more than a margin. */
export function Guardrails({ guardrails, scorers, onChange }: GuardrailsProps) {
  return (
    <FieldList
      title="Guardrails"
      noun="guardrail"
      hint="What must not get worse by more than its margin. A promotion waits until this is shown."
      items={guardrails}
      next={newGuardrail}
      onChange={onChange}
      more={(guardrail, change) => (
        <Fold summary={rangeText(guardrail)}>
          <Range form={guardrail} onChange={change} />
        </Fold>
      )}
    >
      {(guardrail, change) => (
        <>
          <Kind form={guardrail} onChange={change} />
          <MetricName form={guardrail} scorers={scorers} onChange={change} />
          <Limits form={guardrail} onChange={change} />
          <TextField
            label="Margin"
            className={styles.number ?? ''}
            {...numberField(guardrail.margin, (margin) => change({ ...guardrail, margin }))}
          />
        </>
      )}
    </FieldList>
  );
}
