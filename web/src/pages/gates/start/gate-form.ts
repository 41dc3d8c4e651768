import type { GateRequest } from '../../../api/gates.ts';
import { isRef } from '../../../refs.ts';
import { isNumberOrEmpty } from '../../../ui/number-field.ts';
import { isWithoutBounds, type MetricForm, newScore, numbersOf, requestedMetric } from './metric-form.ts';

/** What the form says. Numbers are kept as they are typed. */
export type GateForm = {
  suite: string;
  candidate: ModelForm;
  incumbent: ModelForm;
  /** Of models that are given by name. */
  params: ParamsForm;
  scorers: string[];
  /** Its metric is empty for the first scorer. */
  target: MetricForm & { gain: string };
  guardrails: GuardrailForm[];
  watched: WatchForm[];
  /** Empty for the whole suite. */
  rowsMax: string;
  repeats: string;
  /** Empty for a random one. */
  seed: string;
};

export type ModelForm = { name: string; prompt: string };
export type ParamsForm = { system: string; message: string; temperature: string; tokensMax: string };
export type GuardrailForm = MetricForm & { margin: string };

/** The target or another metric, in the rows with a value in a column; without a column, in all rows. */
export type WatchForm = {
  of: 'target' | 'metric';
  metric: MetricForm;
  column: string;
  value: string;
  harm: string;
};

export const newGuardrail: GuardrailForm = { ...newScore, kind: 'share_above', metric: 'latency', margin: '0.05' };
export const newWatch: WatchForm = { of: 'target', metric: newScore, column: '', value: '', harm: '0.1' };

export function firstForm(suite: string): GateForm {
  const model = { name: '', prompt: '' };
  return {
    ...{ suite, candidate: model, incumbent: model },
    params: { system: '', message: '', temperature: '', tokensMax: '' },
    ...{ scorers: ['exact_match'], target: { ...newScore, gain: '0.05' }, guardrails: [], watched: [] },
    ...{ rowsMax: '', repeats: '1', seed: '' },
  };
}

export function scorersOf({ scorers }: GateForm): string[] {
  return scorers.map((each) => each.trim()).filter((each) => each !== '');
}

export function targetOf(form: GateForm): string {
  return form.target.metric.trim() || (scorersOf(form)[0] ?? '');
}

/** Whether a model is the name of one that heddle can ask, not a published object. */
export function isByName({ name }: ModelForm, published: readonly string[]): boolean {
  const [objectName = ''] = name.trim().split(':');
  return objectName !== '' && !isRef(name.trim()) && !published.includes(objectName);
}

/** Whether every field that is needed has a value, and every number is one. */
export function isComplete(form: GateForm): boolean {
  const { suite, candidate, incumbent, target, params, guardrails, watched } = form;
  const metrics = [target, ...guardrails, ...watched.filter(({ of }) => of === 'metric').map(({ metric }) => metric)];
  const needed = [
    ...[suite, candidate.name, incumbent.name, targetOf(form)],
    ...watched.flatMap(({ of, column, value }) => (of === 'metric' && column === '' ? [] : [column, value])),
  ];
  const numbers = [
    ...[target.gain, form.repeats],
    ...metrics.flatMap(numbersOf),
    ...guardrails.map(({ margin }) => margin),
    ...watched.map(({ harm }) => harm),
  ];
  return (
    [...needed, ...numbers].every((text) => text.trim() !== '') &&
    [...numbers, form.rowsMax, params.temperature, params.tokensMax].every(isNumberOrEmpty) &&
    !metrics.some(isWithoutBounds)
  );
}

/** The request, with prompts and parameters only for models that are not published objects. */
export function requestOf(form: GateForm, published: readonly string[]): GateRequest {
  const name = targetOf(form);
  const target = requestedMetric(form.target, name);
  const paramsOf = (model: ModelForm) =>
    isByName(model, published) && model.prompt.trim() !== '' ? { prompt: model.prompt.trim() } : null;
  const hasNames = [form.candidate, form.incumbent].some((model) => isByName(model, published));
  return {
    ...{ suite: form.suite, candidate: form.candidate.name.trim(), incumbent: form.incumbent.name.trim() },
    model_params: hasNames ? modelParams(form.params) : null,
    candidate_params: paramsOf(form.candidate),
    incumbent_params: paramsOf(form.incumbent),
    scorers: scorersOf(form),
    target: { ...target, gain: Number(form.target.gain) },
    guardrails: form.guardrails.map((each) => ({ ...requestedMetric(each, name), margin: Number(each.margin) })),
    watched: form.watched.map(({ of, metric, harm, column, value }) => ({
      ...(of === 'target' ? target : requestedMetric(metric, name)),
      harm: Number(harm),
      slice: column.trim() === '' ? null : { column: column.trim(), value: value.trim() },
    })),
    rows_max: form.rowsMax === '' ? null : Number(form.rowsMax),
    repeats: Number(form.repeats),
    seed: form.seed.trim() || null,
  };
}

function modelParams({ system, message, temperature, tokensMax }: ParamsForm): GateRequest['model_params'] {
  const messages_template = [
    ...(system.trim() === '' ? [] : [{ role: 'system', content: system }]),
    ...(message.trim() === '' ? [] : [{ role: 'user', content: message }]),
  ];
  const params = {
    ...(messages_template.length === 0 ? {} : { messages_template }),
    ...(temperature === '' ? {} : { temperature: Number(temperature) }),
    ...(tokensMax === '' ? {} : { max_tokens: Number(tokensMax) }),
  };
  return Object.keys(params).length === 0 ? null : params;
}
