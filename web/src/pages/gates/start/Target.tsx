import { Fold } from '../../../ui/Fold.tsx';
import { numberField } from '../../../ui/number-field.ts';
import { TextField } from '../../../ui/TextField.tsx';
import { type GateForm, targetOf } from './gate-form.ts';
import { Kind, Limits, noBounds, Range, rangeText } from './MetricFields.tsx';
import { isWithoutBounds, type MetricForm, unitOf } from './metric-form.ts';
import styles from './StartGate.module.css';

/** What must get better, and by how much. */
export function Target({ form, onChange }: { form: GateForm; onChange: (changes: Partial<GateForm>) => void }) {
  const { target } = form;
  const change = (changed: GateForm['target']) => onChange({ target: changed });
  return (
    <div>
      <div className={styles.pair}>
        <TextField
          label="Target metric"
          hint="What must get better: a score, or a number in it such as judge.helpful."
          placeholder={targetOf(form) || 'exact_match'}
          spellCheck={false}
          error={isWithoutBounds(target) ? noBounds(target) : undefined}
          value={target.metric}
          onChange={({ target: { value } }) => change({ ...target, metric: value })}
        />
        <TextField
          label="Smallest gain that matters"
          hint={gainHint(target)}
          {...numberField(target.gain, (gain) => change({ ...target, gain }))}
        />
      </div>
      <Fold summary={measureText(target)} isOpen={isWithoutBounds(target) ? true : undefined}>
        <Kind form={target} hasQuantiles={false} onChange={change} />
        <Limits form={target} onChange={change} />
        <Range form={target} onChange={change} />
      </Fold>
    </div>
  );
}

function gainHint({ kind, low, high }: MetricForm): string {
  if (kind === 'capped') return 'In the unit of the metric. Smaller gains need more rows.';
  const range = Number(high) - Number(low);
  if (kind === 'score' && range > 0 && range !== 1) {
    return `Of scores from ${low} to ${high}. Smaller gains need more rows.`;
  }
  return '0.05 is five percentage points. Smaller gains need more rows.';
}

function measureText(target: MetricForm): string {
  const unit = unitOf(target);
  const limit = `${target.limit}${unit === undefined ? '' : ` ${unit}`}`;
  if (target.kind === 'score') return rangeText(target);
  return `${target.kind === 'capped' ? `The mean with the cap ${limit}` : `The share of rows above ${limit}`}, ${rangeText(target).toLowerCase()}`;
}
