import { useId } from 'react';
import fieldStyles from '../../../components/FieldList.module.css';
import { numberField } from '../../../ui/number-field.ts';
import { Select } from '../../../ui/Select.tsx';
import { TextField } from '../../../ui/TextField.tsx';
import { betterOf, isWithoutBounds, type MetricForm, measuredMetrics, unitOf, withKind } from './metric-form.ts';

type PartProps<Form extends MetricForm> = { form: Form; onChange: (form: Form) => void };

const kinds = [
  { value: 'score', label: 'a score' },
  { value: 'share_above', label: 'rows above a limit' },
  { value: 'capped', label: 'a mean with a cap' },
  { value: 'quantile', label: 'a quantile' },
] as const;

/** How a metric is compared. A quantile is of the candidate alone, so a target cannot be one. */
export function Kind<Form extends MetricForm>({
  form,
  onChange,
  hasQuantiles = true,
}: PartProps<Form> & { hasQuantiles?: boolean }) {
  return (
    <Select
      label="Compares"
      value={form.kind}
      options={hasQuantiles ? kinds : kinds.filter(({ value }) => value !== 'quantile')}
      onChange={(kind) => onChange({ ...form, ...withKind(form, kind) })}
    />
  );
}

/** Which metric it is: a score, or for other kinds also what each answer has. */
export function MetricName<Form extends MetricForm>({
  form,
  onChange,
  scorers,
}: PartProps<Form> & { scorers: string[] }) {
  const listId = useId();
  const measured = form.kind === 'score' ? [] : measuredMetrics.map(({ metric }) => metric);
  return (
    <>
      <TextField
        label={form.kind === 'score' ? 'Score' : 'Metric'}
        list={listId}
        placeholder={scorers[0]}
        spellCheck={false}
        error={isWithoutBounds(form) ? noBounds(form) : undefined}
        value={form.metric}
        onChange={({ target }) => onChange({ ...form, metric: target.value })}
      />
      <datalist id={listId}>
        {[...measured, ...scorers].map((metric) => (
          <option key={metric} value={metric} />
        ))}
      </datalist>
    </>
  );
}

export function noBounds({ metric }: MetricForm): string {
  return `${metric.trim()} has no bounds: compare the rows above a limit, or a mean with a cap.`;
}

/** The numbers that a kind other than a score needs. */
export function Limits<Form extends MetricForm>({ form, onChange }: PartProps<Form>) {
  if (form.kind === 'score') return null;
  const unit = unitOf(form);
  const inUnit = unit === undefined ? '' : ` (${unit})`;
  return (
    <>
      {form.kind === 'quantile' && (
        <TextField
          label="Quantile"
          className={fieldStyles.number ?? ''}
          {...numberField(form.quantile, (quantile) => onChange({ ...form, quantile }))}
        />
      )}
      <TextField
        label={`${form.kind === 'capped' ? 'Cap' : 'Limit'}${inUnit}`}
        className={fieldStyles.number ?? ''}
        {...numberField(form.limit, (limit) => onChange({ ...form, limit }))}
      />
    </>
  );
}

/** The range of a score, and whether it should be high. */
export function Range<Form extends MetricForm>({ form, onChange }: PartProps<Form>) {
  return (
    <>
      {form.kind === 'score' && (
        <>
          <TextField
            label="Lowest score"
            className={fieldStyles.number ?? ''}
            {...numberField(form.low, (low) => onChange({ ...form, low }))}
          />
          <TextField
            label="Highest score"
            className={fieldStyles.number ?? ''}
            {...numberField(form.high, (high) => onChange({ ...form, high }))}
          />
        </>
      )}
      <Select
        label="Better"
        value={betterOf(form)}
        options={[
          { value: 'higher', label: 'higher is better' },
          { value: 'lower', label: 'lower is better' },
        ]}
        onChange={(better) => onChange({ ...form, better })}
      />
    </>
  );
}

/** What `Range` is set to. */
export function rangeText(form: MetricForm): string {
  const better = `${betterOf(form)} is better`;
  return form.kind === 'score' ? `Scores from ${form.low} to ${form.high}, ${better}` : sentence(better);
}

function sentence(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
