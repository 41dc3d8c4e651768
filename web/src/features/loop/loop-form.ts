import type { LoopPlan } from '../../api/loops.ts';
import { isNumberOrEmpty } from '../../ui/number-field.ts';

/** What the form says. Numbers are kept as they are typed; an empty text stands for the default. */
export type LoopForm = {
  name: string;
  view: string;
  where: string;
  reward: string;
  feedbackHours: string;
  kind: 'sft' | 'rl';
  least: string;
  groupBy: string;
  learningRate: string;
  epochs: string;
  model: string;
  /** Null: the model of the policy's incumbent, if it is a base model. */
  base: string | null;
  suite: string;
  scorer: string;
  gain: string;
  /** The metric that must get better; empty for the scorer. */
  target: string;
  system: string;
  /** How the models are asked each row. Null: what fits the columns of the suite. */
  message: string | null;
  temperature: string;
  answerTokens: string;
  gateRows: string;
  policy: string;
  /** In percent, with commas. */
  stages: string;
  units: string;
  stageHours: string;
  guards: GuardField[];
  rowsLeast: string;
  rowsMost: string;
  tokensMost: string;
  /** Empty for nobody. */
  approver: string;
  everyHours: string;
};

/** A score that guards the stages; without a name, the one that chooses the chats. */
export type GuardField = { reward: string; hours: string; harm: string };

export const newGuard: GuardField = { reward: '', hours: '1', harm: '0.1' };

export const firstForm: LoopForm = {
  ...{ name: '', view: '', where: '', reward: '', feedbackHours: '0' },
  ...{ kind: 'sft', least: '1', groupBy: 'prompt', learningRate: '', epochs: '1', model: '', base: null },
  ...{ suite: '', scorer: '', gain: '0.05', target: '' },
  ...{ system: '', message: null, temperature: '', answerTokens: '', gateRows: '' },
  ...{ policy: '', stages: '10, 50', units: '200', stageHours: '0', guards: [newGuard] },
  ...{ rowsLeast: '20', rowsMost: '', tokensMost: '', approver: 'anyone', everyHours: '' },
};

/** The form that says what a plan says, as far as it has fields for it. */
export function formOf(name: string, plan: LoopPlan): LoopForm {
  const { chats, scorer, method, gate, rollout, budget } = plan;
  const { system, message, params } = messagesOf(gate.model_params);
  const config = method.kind === 'sft' ? method.config : method.experimental_config;
  return {
    ...{ name, view: chats.view ?? '', where: chats.where ?? '' },
    ...{ reward: scorer.reward, feedbackHours: hoursText(scorer.window_seconds) },
    kind: method.kind,
    least: method.kind === 'sft' ? text(method.least ?? 1) : '1',
    groupBy: method.kind === 'rl' ? (method.group_by ?? 'prompt') : 'prompt',
    learningRate: text(config?.learning_rate),
    epochs: method.kind === 'sft' ? text(method.experimental_config?.epochs ?? 1) : '1',
    ...{ model: plan.model, base: plan.base_model ?? '' },
    ...{ suite: plan.suite, scorer: gate.scorers[0] ?? '', gain: text(gate.target.gain) },
    target: gate.target.metric === gate.scorers[0] ? '' : gate.target.metric,
    ...{ system, message, temperature: text(params.temperature), answerTokens: text(params.max_tokens) },
    ...{ gateRows: text(gate.rows_max), policy: rollout.policy },
    stages: (rollout.stages ?? []).map((share) => text(Number((100 * share).toFixed(6)))).join(', '),
    ...{ units: text(rollout.units), stageHours: text(rollout.hours) },
    guards: (rollout.scorers ?? []).map(({ reward, window_seconds, harm }) => ({
      ...{ reward, hours: hoursText(window_seconds), harm: text(harm ?? 0.1) },
    })),
    ...{
      rowsLeast: text(budget?.rows_least),
      rowsMost: text(budget?.rows_most),
      tokensMost: text(budget?.tokens_most),
    },
    ...{ approver: plan.approver ?? '', everyHours: text(plan.every_hours) },
  };
}

/** What the form takes from the project where nothing was typed. */
export type Derived = { message: string; base: string };

/** The plan of the form. Parts for which it has no field, such as guardrails of the gate, are those of the plan before. */
export function planOf(form: LoopForm, derived: Derived, before: LoopPlan | null): LoopPlan {
  const base = form.base ?? derived.base;
  return {
    chats: { view: orNull(form.view), where: orNull(form.where) },
    scorer: { reward: form.reward.trim(), window_seconds: secondsOf(form.feedbackHours) },
    method: methodOf(form, before?.method),
    ...{ model: form.model.trim(), base_model: orNull(base), suite: form.suite },
    gate: gateOf(form, derived, before?.gate),
    rollout: {
      ...before?.rollout,
      ...{ policy: form.policy, stages: sharesOf(form.stages) },
      ...given({ units: numberOf(form.units), hours: numberOf(form.stageHours) }),
      scorers: form.guards.map(({ reward, hours, harm }, index) => ({
        ...before?.rollout.scorers?.[index],
        ...{ reward: reward.trim() || form.reward.trim(), window_seconds: secondsOf(hours), harm: Number(harm) },
      })),
    },
    budget: {
      ...given({ rows_least: numberOf(form.rowsLeast), rows_most: numberOf(form.rowsMost) }),
      tokens_most: numberOf(form.tokensMost),
    },
    ...{ approver: orNull(form.approver), every_hours: numberOf(form.everyHours) },
  };
}

/** Whether every field that is needed has a value, and every number is one. */
export function isComplete(form: LoopForm): boolean {
  const { name, view, where, reward, model, suite, scorer, gain, policy } = form;
  const texts = [name, view || where, reward, model, suite, scorer, gain, policy];
  const numbers = [
    ...[form.feedbackHours, form.least, form.learningRate, form.epochs, gain, form.temperature, form.answerTokens],
    ...[form.gateRows, form.units, form.stageHours, form.rowsLeast, form.rowsMost, form.tokensMost, form.everyHours],
    ...form.guards.flatMap(({ hours, harm }) => [hours, harm]),
    ...form.stages.split(','),
  ];
  return texts.every((each) => each.trim() !== '') && numbers.every(isNumberOrEmpty);
}

function methodOf(form: LoopForm, before: LoopPlan['method'] | undefined): LoopPlan['method'] {
  const rate = { learning_rate: numberOf(form.learningRate) };
  if (form.kind === 'rl') {
    const config = before?.kind === 'rl' ? before.experimental_config : null;
    return { kind: 'rl', ...given({ group_by: orNull(form.groupBy) }), experimental_config: { ...config, ...rate } };
  }
  const [config, experimental] =
    before?.kind === 'sft' ? [before.config, before.experimental_config] : ([null, null] as const);
  // Rates by step have no field: they stay while the field shows none.
  const rates = Array.isArray(config?.learning_rate) && form.learningRate === '' ? {} : rate;
  return {
    ...{ kind: 'sft', ...given({ least: numberOf(form.least) }), config: { ...config, ...rates } },
    experimental_config: { ...experimental, ...given({ epochs: numberOf(form.epochs) }) },
  };
}

function gateOf(form: LoopForm, derived: Derived, before: LoopPlan['gate'] | undefined): LoopPlan['gate'] {
  const scorer = form.scorer.trim();
  const { others, params } = messagesOf(before?.model_params);
  const message = form.message ?? derived.message;
  const messages = [
    ...(form.system === '' ? [] : [{ role: 'system', content: form.system }]),
    ...(message === '' ? [] : [{ role: 'user', content: message }]),
    ...others,
  ];
  const { temperature: _temperature, max_tokens: _tokens, ...kept } = params;
  const model_params = {
    ...kept,
    ...(messages.length > 0 ? { messages_template: messages } : {}),
    ...given({ temperature: numberOf(form.temperature), max_tokens: numberOf(form.answerTokens) }),
  };
  return {
    ...before,
    scorers: [scorer, ...(before?.scorers.slice(1) ?? [])],
    target: { ...before?.target, metric: form.target.trim() || scorer, gain: Number(form.gain) },
    model_params: Object.keys(model_params).length > 0 ? model_params : null,
    rows_max: numberOf(form.gateRows),
  };
}

type Message = { role: string; content: unknown };

/** A template that the form can show begins with a system message or the user's; what follows stays. */
function messagesOf(given: LoopPlan['gate']['model_params']) {
  const { messages_template, ...params } = given ?? {};
  const rest = Array.isArray(messages_template) ? [...(messages_template as Message[])] : [];
  const take = (role: string) => {
    const [first] = rest;
    if (first?.role !== role || typeof first.content !== 'string') return '';
    rest.shift();
    return first.content;
  };
  return { system: take('system'), message: take('user'), others: rest, params };
}

function sharesOf(stages: string): number[] {
  const texts = stages.split(',').map((each) => each.trim());
  return texts.filter((each) => each !== '').map((each) => Number(each) / 100);
}

/** Without the members that have no value, for which the server has a default. */
function given<Fields extends object>(fields: Fields): { [Key in keyof Fields]?: NonNullable<Fields[Key]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as {
    [Key in keyof Fields]?: NonNullable<Fields[Key]>;
  };
}

function numberOf(typed: string): number | null {
  return typed === '' ? null : Number(typed);
}

function orNull(typed: string): string | null {
  return typed.trim() || null;
}

function secondsOf(hours: string): number {
  return Math.round(Number(hours) * 3600);
}

function hoursText(seconds: number | undefined): string {
  return text(Number(((seconds ?? 0) / 3600).toFixed(4)));
}

function text(value: unknown): string {
  return value === null || value === undefined || typeof value === 'object' ? '' : String(value);
}
