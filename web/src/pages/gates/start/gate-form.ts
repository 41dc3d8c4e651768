import type { GateRequest } from '../../../api/gates.ts';
import { isNumberOrEmpty } from '../../../ui/number-field.ts';

/** What the form says. Numbers are kept as they are typed. */
export type GateForm = {
  suite: string;
  candidate: string;
  incumbent: string;
  scorers: string[];
  /** The metric that must get better; empty for the first scorer. */
  target: string;
  gain: string;
  guardrails: GuardrailField[];
  watched: SliceField[];
  /** Empty for the whole suite. */
  rowsMax: string;
  repeats: string;
};

export type GuardrailField = {
  /** Whether a score is compared, or the share of rows above a limit. */
  kind: 'score' | 'share';
  metric: string;
  limit: string;
  margin: string;
};

/** Rows with a value in a column, in which the target is watched. */
export type SliceField = { column: string; value: string; harm: string };

export const newGuardrail: GuardrailField = { kind: 'share', metric: 'latency', limit: '5', margin: '0.05' };
export const newSlice: SliceField = { column: '', value: '', harm: '0.1' };

/** The metrics that answers have without a scorer, with their units. */
export const measuredMetrics = [
  { metric: 'latency', unit: 'seconds' },
  { metric: 'cost', unit: 'US dollars' },
  { metric: 'output_tokens', unit: 'tokens' },
] as const;

export function firstForm(suite: string): GateForm {
  const models = { candidate: '', incumbent: '' };
  const lists = { scorers: ['exact_match'], guardrails: [], watched: [] };
  return { suite, ...models, ...lists, target: '', gain: '0.05', rowsMax: '', repeats: '1' };
}

function scorersOf({ scorers }: GateForm): string[] {
  return scorers.map((each) => each.trim()).filter((each) => each !== '');
}

export function targetOf(form: GateForm): string {
  return form.target.trim() || (scorersOf(form)[0] ?? '');
}

/** Whether every field that is needed has a value, and every number is one. */
export function isComplete(form: GateForm): boolean {
  const texts = [form.suite, form.candidate, form.incumbent, targetOf(form), form.gain, form.repeats];
  const guardrails = form.guardrails.flatMap(({ kind, metric, limit, margin }) => [
    ...(kind === 'share' ? [metric, limit] : [metric || targetOf(form)]),
    margin,
  ]);
  const slices = form.watched.flatMap(({ column, value, harm }) => [column, value, harm]);
  const isFilled = [...texts, ...guardrails, ...slices].every((text) => text.trim() !== '');
  const numbers = [
    ...[form.gain, form.repeats, form.rowsMax],
    ...form.guardrails.flatMap(({ kind, limit, margin }) => (kind === 'share' ? [limit, margin] : [margin])),
    ...form.watched.map(({ harm }) => harm),
  ];
  return isFilled && numbers.every(isNumberOrEmpty);
}

export function requestOf(form: GateForm): GateRequest {
  const target = targetOf(form);
  return {
    ...{ suite: form.suite, candidate: form.candidate.trim(), incumbent: form.incumbent.trim() },
    scorers: scorersOf(form),
    target: { metric: target, gain: Number(form.gain) },
    guardrails: form.guardrails.map(({ kind, metric, limit, margin }) =>
      kind === 'share'
        ? { metric, measure: { kind: 'share_above', limit: Number(limit) }, margin: Number(margin) }
        : { metric: metric.trim() || target, margin: Number(margin) },
    ),
    watched: form.watched.map(({ column, value, harm }) => ({
      ...{ metric: target, slice: { column: column.trim(), value: value.trim() }, harm: Number(harm) },
    })),
    rows_max: form.rowsMax === '' ? null : Number(form.rowsMax),
    repeats: Number(form.repeats),
  };
}
