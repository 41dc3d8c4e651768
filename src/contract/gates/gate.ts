import { z } from 'zod';
import { projectParams } from '../project.ts';
import { float, int, optional, text, timestamp } from '../wire.ts';

export const path = '/v2/{entity}/{project}/gates';
export const group = 'Gates';
export const gateParams = projectParams.extend({ gate_id: text() });

const number = z.number();

/** What is compared of an answer. Scores have bounds; latencies and costs have none, so they need one of the other kinds. */
const measure = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('score'), low: number.default(0), high: number.default(1) }),
  /** The share of rows above the limit. */
  z.object({ kind: z.literal('share_above'), limit: number }),
  /** The mean of values, of which those above the cap count as the cap. */
  z.object({ kind: z.literal('capped'), cap: number }),
  /** Whether a quantile of the candidate alone is at most the limit. */
  z.object({ kind: z.literal('quantile'), quantile: number, limit: number }),
]);

/**
 * `metric` is a score, by the key of its scorer and the path to a number in it (`judge.helpful`), or `latency` in seconds, `cost` in US
 * dollars, or `output_tokens`.
 */
const metric = {
  metric: text(),
  /** Needed for all metrics but scores, which are from 0 to 1 by default. */
  measure: optional(measure),
  better: optional(z.enum(['higher', 'lower'])),
};

export const gateTarget = z
  .object({
    ...metric,
    /** The smallest gain that matters. */
    gain: number,
  })
  .meta({ id: 'GateTarget' });

export const gateGuardrail = z
  .object({
    ...metric,
    /** How much worse the candidate may be. */
    margin: number,
  })
  .meta({ id: 'GateGuardrail' });

export const gateWatch = z
  .object({
    ...metric,
    /** The smallest harm that matters. */
    harm: number,
    /** Only rows with this value in this column. */
    slice: optional(z.object({ column: text(), value: text() })),
  })
  .meta({ id: 'GateWatch' });

const estimate = z.object({
  threads: int(),
  /** Of the differences, candidate − incumbent, turned so that positive is better. */
  mean: float().nullable(),
  /** Bounds that are valid at every look. */
  lower: float().nullable(),
  upper: float().nullable(),
});

const line = {
  name: z.string(),
  p_value: float(),
  ...estimate.shape,
};

const namedModel = z.object({
  /** The version of the model's object. */
  ref: z.string(),
  name: z.string(),
  /** The evaluation that has its answers. */
  evaluation_call_id: z.string(),
});

const plannedMetric = {
  name: z.string(),
  /** As `metric` of the request. */
  source: z.string(),
  measure: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('score'), low: float(), high: float() }),
    z.object({ kind: z.literal('share-above'), limit: float() }),
    z.object({ kind: z.literal('capped'), cap: float() }),
    z.object({ kind: z.literal('quantile'), quantile: float(), limit: float() }),
  ]),
  better: z.enum(['higher', 'lower']),
};

const gatePlan = z
  .looseObject({
    target: z.looseObject({ ...plannedMetric, gain: float() }),
    guardrails: z.array(z.looseObject({ ...plannedMetric, margin: float() })),
    watched: z.array(z.looseObject({ ...plannedMetric, harm: float(), threads: int() })),
    /** The level at which the candidate is tested. */
    alpha: float(),
    /** Threads of the suite, and those that the budget allows to answer. */
    threads: int(),
    threadsMax: int(),
    rowsMax: int().nullable(),
    repeats: int(),
    seed: z.string(),
  })
  .meta({ id: 'GatePlan' });

export const gateSchema = z
  .object({
    id: z.string(),
    suite: z.string(),
    /** Which candidate of the suite it is, from 1. */
    number: int(),
    candidate: namedModel,
    incumbent: namedModel,
    evaluation: z.string(),
    /** As it was stored before the first answer. */
    plan: gatePlan,
    state: z.enum(['waiting', 'running', 'decided', 'failed', 'canceled']),
    error: z.string().nullable(),
    verdict: z.enum(['promote', 'reject', 'not-enough-evidence']).nullable(),
    created_by: z.string(),
    created_at: timestamp(),
    started_at: timestamp().nullable(),
    ended_at: timestamp().nullable(),
  })
  .meta({ id: 'Gate' });

const gateProgress = z
  .object({
    /** All that were compared, and how many clean ones the budget allows. */
    threads: int(),
    threads_max: int(),
    rows: int(),
    /** An estimate of the further threads until a promotion in 80 % of runs, if the gain is the smallest that matters. */
    threads_needed: int(),
    rows_needed: int(),
    reasons: z.array(z.string()),
    /** "Better on traffic like the suite": this line decides. */
    on_traffic: z.object({ shown: z.boolean(), p_value: float() }),
    /** "Better on this suite". */
    on_suite: z.object({ shown: z.boolean(), p_value: float() }),
    gain_too_small: z.object({ shown: z.boolean(), p_value: float() }),
    target: z.object({ name: z.string(), gain: float(), ...estimate.shape }),
    /** With the threads that are like what the models were trained on; null if there are none. */
    target_of_all: estimate.nullable(),
    guardrails: z.array(z.object({ ...line, margin: float(), shown: z.boolean(), worse: z.boolean() })),
    watched: z.array(
      z.object({
        ...line,
        harm: float(),
        state: z.enum(['harm', 'no-harm-shown', 'looking', 'too-small']),
        threads_needed: int(),
      }),
    ),
    /** The target after some numbers of threads. */
    points: z.array(z.object({ threads: int(), mean: float().nullable(), lower: float(), upper: float() })),
  })
  .meta({ id: 'GateProgress' });

export const listedGate = gateSchema
  .extend({
    /** Clean ones that were compared so far. */
    threads: int(),
  })
  .meta({ id: 'ListedGate' });

/** What candidates have used up of a suite's α. */
const gateSuiteUse = z
  .object({
    alpha: float(),
    candidates: int(),
    promoted: int(),
    next_alpha: float(),
    /** How many more candidates it can decide if none is promoted; at 0, fresh rows are due. */
    candidates_left: int().nullable(),
  })
  .meta({ id: 'GateSuiteUse' });

export const gateWithProgress = gateSchema
  .extend({ progress: gateProgress, suite_use: gateSuiteUse, tests: z.string() })
  .meta({ id: 'GateReadRes' });
