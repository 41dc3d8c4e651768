import fieldStyles from '../../../components/FieldList.module.css';
import { FieldList } from '../../../components/FieldList.tsx';
import { Fold } from '../../../ui/Fold.tsx';
import { numberField } from '../../../ui/number-field.ts';
import { TextField } from '../../../ui/TextField.tsx';
import { type GuardrailForm, newGuardrail } from './gate-form.ts';
import { Kind, Limits, MetricName, Range, rangeText } from './MetricFields.tsx';

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
            className={fieldStyles.number ?? ''}
            {...numberField(guardrail.margin, (margin) => change({ ...guardrail, margin }))}
          />
        </>
      )}
    </FieldList>
  );
}
