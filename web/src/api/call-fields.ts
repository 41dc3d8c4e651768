import { numberOf, parseJson, recordOf } from '../format/json.ts';
import { recordOfEntries } from '../format/key-order.ts';
import { millisecondsBetween } from '../format/time.ts';
import { isRef, opTitle } from '../refs.ts';
import type { Call } from './calls.ts';

export type CallStatus = 'running' | 'success' | 'error' | 'descendant_error';

/** What a call is named after: its span, whose op has a name without capitals and signs, or its op. */
export function nameOf({ op_name, attributes }: Named): string {
  const { name } = recordOf(recordOf(attributes).otel_span);
  return typeof name === 'string' && name !== '' ? name : opTitle(op_name);
}

export function callTitle(call: Named & Pick<Call, 'display_name'>): string {
  return call.display_name || nameOf(call);
}

type Named = Pick<Call, 'op_name'> & Partial<Pick<Call, 'attributes'>>;

export function statusOf(call: Call): CallStatus {
  const status = weaveOf(call)?.status;
  if (status === 'running' || status === 'success' || status === 'error' || status === 'descendant_error')
    return status;
  if (call.exception) return 'error';
  return call.ended_at == null ? 'running' : 'success';
}

/** Milliseconds; null while the call runs. */
export function durationOf({ started_at, ended_at }: Pick<Call, 'started_at' | 'ended_at'>): number | null {
  return millisecondsBetween(started_at, ended_at);
}

type Usage = Record<string, unknown>;

export type TokenCounts = { input: number; output: number; total: number };

/** Tokens over all models; null if none are reported. */
export function tokensOf(call: Call): TokenCounts | null {
  return tokensIn(Object.values(recordOf(call.summary?.usage)).map(recordOf));
}

/** Dollars over all models; null if no price is known. */
export function costOf(call: Call): number | null {
  return costIn(Object.values(recordOf(weaveOf(call)?.costs)).map(recordOf));
}

/** Tokens, and what they cost. */
export type Spending = { tokens: TokenCounts | null; cost: number | null; unpriced: Unpriced };

export function spendingOf(call: Call): Spending {
  return { tokens: tokensOf(call), cost: costOf(call), unpriced: unpricedOf(call) };
}

/** The same of a usage by model. */
export function spendingIn(byModel: Record<string, Usage>): Spending {
  const used = Object.values(byModel);
  return { tokens: tokensIn(used), cost: costIn(used), unpriced: unpricedIn([byModel]) };
}

/** What a cost leaves out: the models that have tokens without a price, and whether more, or less, may have been paid. */
export type Unpriced = { models: string[]; isAtLeast: boolean; isEstimate: boolean };

export function unpricedOf(call: Call): Unpriced {
  const weave = recordOf(weaveOf(call));
  const models = Object.keys(recordOf(weave.unpriced_tokens));
  const isIgnored = Object.keys(recordOf(weave.ignored_counts)).length > 0;
  const costs = Object.values(recordOf(weave.costs)).map(recordOf);
  const isAtLeast = models.length > 0 || isIgnored || costs.some(({ is_at_least }) => is_at_least === true);
  return { models, isAtLeast, isEstimate: costs.some(({ is_estimate }) => is_estimate === true) };
}

/** The same of what models used in an evaluation. */
export function unpricedAmong(
  tokens: object | null | undefined,
  { isAtLeast, isEstimate }: { isAtLeast: boolean | null | undefined; isEstimate: boolean | null | undefined },
): Unpriced {
  return { models: Object.keys(tokens ?? {}), isAtLeast: isAtLeast === true, isEstimate: isEstimate === true };
}

/** The same of the usage of several calls by model. */
export function unpricedIn(byModel: Record<string, unknown>[]): Unpriced {
  const entries = byModel
    .flatMap((each) => Object.entries(each))
    .map(([model, usage]) => [model, recordOf(usage)] as const);
  const unpriced = entries.filter(([, usage]) => (numberAt(usage, 'unpriced_tokens') ?? 0) > 0);
  const models = [...new Set(unpriced.map(([model]) => model))];
  const isMarked = (mark: string) => entries.some(([, usage]) => usage[mark] === true);
  return { models, isAtLeast: models.length > 0 || isMarked('is_at_least'), isEstimate: isMarked('is_estimate') };
}

/** The tokens of some usages; null if there are none. */
export function tokensIn(usages: Usage[]): TokenCounts | null {
  const sum = (...names: string[]) => usages.reduce((total, usage) => total + firstNumber(usage, names), 0);
  const input = sum('prompt_tokens', 'input_tokens');
  const output = sum('completion_tokens', 'output_tokens');
  const total = usages.reduce((all, usage) => all + (numberAt(usage, 'total_tokens') ?? totalOf(usage)), 0);
  return total === 0 ? null : { input, output, total };
}

/** The dollars of some usages; null if no price is known. The costs of cached tokens are not part of those of the prompt. */
export function costIn(usages: Usage[]): number | null {
  const parts = usages.flatMap((usage) =>
    costFields.map((name) => numberAt(usage, name)).filter((cost) => cost !== null),
  );
  return parts.length === 0 ? null : parts.reduce((sum, part) => sum + part, 0);
}

const costFields = [
  'prompt_tokens_total_cost',
  'completion_tokens_total_cost',
  'cache_read_input_tokens_total_cost',
  'cache_creation_input_tokens_total_cost',
  'other_total_cost',
];

/** The models that the call, or the calls below it, used. */
export function modelsOf(call: Call): string[] {
  const used = Object.keys(recordOf(call.summary?.usage)).filter((name) => name !== unnamed);
  const asked = call.inputs?.model;
  return used.length === 0 && typeof asked === 'string' && !isRef(asked) ? [asked] : used;
}

/** Where the server counts tokens for which a span names no model. */
const unnamed = 'usage';

/** The reason of a failure in a line: SDKs report a traceback as JSON. */
export function exceptionLine(exception: string): string {
  try {
    const { type, message } = parseJson(exception) as { type?: unknown; message?: unknown };
    if (typeof type === 'string' || typeof message === 'string') return [type, message].filter(Boolean).join(': ');
  } catch {
    // plain text
  }
  return exception.trim().split('\n').at(-1) ?? exception;
}

/** The fields that heddle adds to a summary. */
export function weaveOf(call: Call): Record<string, unknown> | undefined {
  const { weave } = call.summary ?? {};
  return weave === undefined ? undefined : recordOf(weave);
}

/** What a model was asked with: the parameters of its request, which spans have among their attributes. */
export function parametersOf({ inputs, attributes }: Pick<Call, 'inputs' | 'attributes'>): Record<string, unknown> {
  const { model, model_parameters } = recordOf(attributes);
  return { ...withoutNulls({ model }), ...opened(model_parameters), ...withoutNulls(recordOf(inputs)) };
}

/** Conventions write parameters as an object, or as JSON in a string. */
function opened(parameters: unknown): Record<string, unknown> {
  if (typeof parameters !== 'string') return withoutNulls(recordOf(parameters));
  try {
    return withoutNulls(recordOf(parseJson(parameters)));
  } catch {
    return {};
  }
}

function withoutNulls(record: Record<string, unknown>): Record<string, unknown> {
  return recordOfEntries(Object.entries(record).filter(([, value]) => value != null));
}

function totalOf(usage: Usage): number {
  return (
    firstNumber(usage, ['prompt_tokens', 'input_tokens']) + firstNumber(usage, ['completion_tokens', 'output_tokens'])
  );
}

function firstNumber(record: Usage, names: string[]): number {
  return names.map((name) => numberAt(record, name)).find((value) => value !== null) ?? 0;
}

function numberAt(record: Usage, name: string): number | null {
  return numberOf(record[name]);
}
