import styles from '../../../components/FieldList.module.css';
import { FieldList } from '../../../components/FieldList.tsx';
import { numberField } from '../../../ui/number-field.ts';
import { Select } from '../../../ui/Select.tsx';
import { TextField } from '../../../ui/TextField.tsx';
import { type GuardrailField, measuredMetrics, newGuardrail } from './gate-form.ts';

type GuardrailsProps = {
  guardrails: GuardrailField[];
  target: string;
  onChange: (guardrails: GuardrailField[]) => void;
};

/** What must not get worse by more than a margin. */
export function Guardrails({ guardrails, target, onChange }: GuardrailsProps) {
  return (
    <FieldList
      title="Guardrails"
      noun="guardrail"
      hint="What must not get worse by more than its margin. A promotion waits until this is shown."
      items={guardrails}
      next={newGuardrail}
      onChange={onChange}
    >
      {(guardrail, change) => (
        <>
          <Select
            label="Compares"
            value={guardrail.kind}
            options={[
              { value: 'share', label: 'rows above a limit' },
              { value: 'score', label: 'a score' },
            ]}
            onChange={(kind) => change({ ...guardrail, kind, metric: kind === 'share' ? 'latency' : '' })}
          />
          {guardrail.kind === 'share' ? (
            <ShareFields guardrail={guardrail} onChange={change} />
          ) : (
            <TextField
              label="Score"
              placeholder={target}
              spellCheck={false}
              value={guardrail.metric}
              onChange={({ target: { value } }) => change({ ...guardrail, metric: value })}
            />
          )}
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

type ShareFieldsProps = { guardrail: GuardrailField; onChange: (guardrail: GuardrailField) => void };

function ShareFields({ guardrail, onChange }: ShareFieldsProps) {
  const unit = measuredMetrics.find(({ metric }) => metric === guardrail.metric)?.unit;
  return (
    <>
      <Select
        label="Metric"
        value={guardrail.metric}
        options={measuredMetrics.map(({ metric }) => ({ value: metric, label: metric }))}
        onChange={(metric) => onChange({ ...guardrail, metric })}
      />
      <TextField
        label={`Limit (${unit})`}
        className={styles.number ?? ''}
        {...numberField(guardrail.limit, (limit) => onChange({ ...guardrail, limit }))}
      />
    </>
  );
}
