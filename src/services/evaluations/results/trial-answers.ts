import type { ProjectId } from '../../../contract/ids.ts';
import type { Trial } from '../../../domain/evaluations/results/trial.ts';
import type { PriceBook } from '../../../domain/prices/price-book.ts';
import { costOfUsage, type UsageCost } from '../../../domain/prices/usage-cost.ts';
import { findTrialChildren, type TrialChild } from '../../../store/clickhouse/evaluations/find-trial-children.ts';
import { findTrialDetails, type TrialDetails } from '../../../store/clickhouse/evaluations/find-trial-details.ts';
import { findTrialSpans, type TrialSpan } from '../../../store/clickhouse/evaluations/find-trial-spans.ts';
import { JsonText } from '../../../util/json/json-text.ts';
import { isObject } from '../../../util/json/own-member.ts';
import { parseJson, parsePlain } from '../../../util/json/parse.ts';
import { openTurn } from '../../../util/turns.ts';
import { projectPrices } from '../../costs/project-prices.ts';
import type { Deps } from '../../deps.ts';
import { totalTokens } from './usage-by-evaluation.ts';

export type SpanRef = { trace_id: string; span_id: string };

/** What is returned for a trial. JSON is returned as it was recorded. */
export type TrialAnswer = {
  trial: Trial;
  /** The row that was tried, or the ref of one, as JSON text; empty if the trial no longer exists. */
  example: string;
  predictCallId: string | null;
  modelOutput: JsonText | null;
  scores: JsonText;
  latencySeconds: number | null;
  tokens: number | null;
  /** The cost of the model's call; null without one, or if costs are not requested. */
  cost: UsageCost | null;
  /** The call of each recognized scorer, by the scorer's key in `scores`. */
  scorerCallIds: Map<string, string>;
  /** Spans of agents: those that a client linked to the trial, and one for each trace that was created in it. */
  spanRefs: SpanRef[] | null;
};

/** The remaining fields of these trials in the response, by call id. */
export async function readTrialAnswers(
  { clickhouse, postgres }: Pick<Deps, 'clickhouse' | 'postgres'>,
  source: { projectId: ProjectId; evaluationIds: string[]; models: string[] },
  trials: readonly Trial[],
  { withChildren, includeCosts }: { withChildren: boolean; includeCosts: boolean },
): Promise<Map<string, TrialAnswer>> {
  const answers = new Map<string, TrialAnswer>();
  if (trials.length === 0) return answers;
  const ids = trials.map(({ callId }) => callId);
  const book = includeCosts ? await projectPrices({ postgres }, source.projectId) : null;
  const details = await findTrialDetails(clickhouse, { ...source, ids });
  const children = withChildren ? await findTrialChildren(clickhouse, { ...source, trialIds: ids }) : [];
  const spans = await findTrialSpans(clickhouse, { projectId: source.projectId, trialIds: ids });
  const byTrial = Map.groupBy(children, ({ trialId }) => trialId);
  const spansByTrial = Map.groupBy(spans, ({ trialId }) => trialId);
  const turn = openTurn();
  for (const trial of trials) {
    if (turn.isOver()) await turn.next();
    const inside = { children: byTrial.get(trial.callId) ?? [], spans: spansByTrial.get(trial.callId) ?? [] };
    answers.set(trial.callId, answerOf(trial, details.get(trial.callId), inside, book));
  }
  return answers;
}

const nothing = new JsonText('{}');

function answerOf(
  trial: Trial,
  details: TrialDetails | undefined,
  { children, spans }: { children: readonly TrialChild[]; spans: readonly TrialSpan[] },
  book: PriceBook | null,
): TrialAnswer {
  const output = membersOf(details?.output ?? 'null');
  const scores = output.get('scores');
  const predict = children.find(({ isPredict }) => isPredict);
  const counted = predict ?? (details && { ...details, endedAt: null });
  return {
    trial,
    example: details?.example ?? '',
    predictCallId: predict?.id ?? null,
    modelOutput: output.get('output') ?? output.get('model_output') ?? null,
    scores: scores?.kind === 'object' ? scores : nothing,
    latencySeconds: predict ? secondsOf(predict) : (meanLatency(output.get('model_latency')) ?? null),
    tokens: totalTokens(counted?.usage ?? []),
    cost: predict && book ? costOfUsage(predict.usage, predict.startedAt, book) : null,
    scorerCallIds: scorerCalls(Object.keys(trial.scores), children, predict),
    spanRefs: spanRefsOf([details?.spanRefs, predict?.spanRefs], spans),
  };
}

/** The members of an object (JSON text), as texts. */
function membersOf(text: string): Map<string, JsonText> {
  const parsed = parseJson(text, { keep: { '*': true } });
  return new Map(isObject(parsed) ? (Object.entries(parsed) as [string, JsonText][]) : []);
}

function secondsOf({ startedAt, endedAt }: TrialChild): number | null {
  return endedAt === null ? null : (endedAt - startedAt) / 1e6;
}

function meanLatency(latency: JsonText | undefined): number | null {
  if (latency?.kind !== 'object') return null;
  const { mean } = parsePlain(latency.text) as { mean?: unknown };
  return typeof mean === 'number' ? mean : null;
}

/**
 * A scorer's call is marked as a score, or named like it: if one of the call's name and the key contains the other, the
 * call belongs to the key.
 */
function scorerCalls(
  keys: string[],
  children: readonly TrialChild[],
  predict: TrialChild | undefined,
): Map<string, string> {
  const candidates = children
    .filter((child) => child !== predict && (child.isScore || /\.score|scorer/i.test(child.opLabel)))
    .map(({ id, opLabel }) => ({ id, name: opLabel.toLowerCase() }));
  const found = new Map<string, string>();
  for (const key of keys) {
    const wanted = key.toLowerCase();
    const exact = candidates.find(({ name }) => name === wanted || name === `${wanted}.score`);
    const near = exact ?? candidates.find(({ name }) => name.includes(wanted) || wanted.includes(name));
    if (near) found.set(key, near.id);
  }
  return found;
}

function spanRefsOf(texts: (string | undefined)[], spans: readonly TrialSpan[]): SpanRef[] | null {
  const found = new Map<string, SpanRef>();
  const add = (trace_id: string, span_id: string) => found.set(`${trace_id}/${span_id}`, { trace_id, span_id });
  for (const text of texts) {
    const list: unknown = text ? parsePlain(text) : null;
    for (const each of Array.isArray(list) ? list : []) {
      const { trace_id, span_id } = isObject(each) ? each : {};
      if (typeof trace_id === 'string' && typeof span_id === 'string') add(trace_id, span_id);
    }
  }
  const linked = new Set([...found.values()].map(({ trace_id }) => trace_id));
  for (const { traceId, spanId } of spans) if (!linked.has(traceId)) add(traceId, spanId);
  return found.size > 0 ? [...found.values()] : null;
}
