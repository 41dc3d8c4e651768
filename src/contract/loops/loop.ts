import { z } from 'zod';
import { gateRequest } from '../gates/create.ts';
import { policyScorer } from '../policies/policy.ts';
import { projectParams } from '../project.ts';
import { callsMax } from '../training-from-calls/calls-sought.ts';
import { sftConfigs } from '../training-from-calls/sft-preview.ts';
import { rlConfig } from '../training-jobs/rl-config.ts';
import { float, int, optional, text, timestamp } from '../wire.ts';

export const path = '/v2/{entity}/{project}/loops';
export const turnPath = `${path}/{name}/turns/{number}`;
export const group = 'Loops';
export const loopParams = projectParams.extend({ name: text() });
export const turnParams = loopParams.extend({ number: int() });

/** Which chats are collected. */
const chats = z
  .object({
    view: optional(text()).meta({ description: 'A saved view of calls, by the id of its object or by its label.' }),
    where: optional(text()).meta({
      description:
        'A condition on calls as people type it, such as `op_name~chat`, or JSON with `filter` and `query`. Together with a view, both hold.',
    }),
  })
  .meta({ id: 'LoopChats' });

const scorer = z
  .object({
    reward: text().meta({
      description: 'As in training from calls: the name of a score, or `feedback.[TYPE].payload.PATH`.',
    }),
    window_seconds: float().default(0).meta({ description: 'Chats younger than this are left for the next turn.' }),
  })
  .meta({ id: 'LoopScorer' });

const method = z.discriminatedUnion('kind', [
  z
    .object({
      kind: z.literal('sft'),
      least: float().default(1).meta({ description: 'The smallest score of an answer that is learned.' }),
      ...sftConfigs,
    })
    .meta({ id: 'LoopSft' }),
  z
    .object({ kind: z.literal('rl'), group_by: text().default('prompt'), experimental_config: optional(rlConfig) })
    .meta({ id: 'LoopRl' }),
]);

const rollout = z
  .object({
    policy: text().meta({ description: 'A policy of the project. Its incumbent is the model that is to be improved.' }),
    stages: z
      .array(float())
      .default([0.1, 0.5])
      .meta({ description: 'The shares of traffic of a candidate, one after the other, before it gets all.' }),
    units: int().default(200).meta({
      description:
        'How many threads, users or requests of the candidate must count in each stage, for each scorer that decides.',
    }),
    hours: float().default(0).meta({ description: 'How long each stage lasts at least.' }),
    scorers: z.array(policyScorer).default([]),
    alpha: float().default(0.05),
  })
  .meta({ id: 'LoopRollout' });

const budget = z
  .object({
    rows_least: int()
      .default(20)
      .meta({ description: 'With fewer chats or trajectories, a turn ends without training.' }),
    rows_most: int()
      .default(callsMax)
      .meta({ description: `How many calls are read, the newest first; at most ${callsMax}.` }),
    tokens_most: optional(int()).meta({
      description: 'Trained tokens of one turn, over all epochs. A turn with more ends without training.',
    }),
  })
  .meta({ id: 'LoopBudget' });

/** What a loop is, as clients send it and as it is returned. */
export const planFields = {
  chats,
  scorer,
  method,
  model: text().meta({ description: 'The trained model: each turn adds a checkpoint. Created if it does not exist.' }),
  base_model: optional(text()).meta({ description: 'Of a new model; by default that of the server.' }),
  suite: text(),
  gate: gateRequest.omit({
    ...{ suite: true, candidate: true, incumbent: true },
    ...{ candidate_params: true, incumbent_params: true },
  }),
  rollout,
  budget: budget.prefault({}),
  approver: optional(text()).meta({
    description: 'Who is asked before a promoted candidate gets traffic: a username, or `anyone`. Nobody by default.',
  }),
  every_hours: optional(float()).meta({
    description: 'When the next turn begins after the last one began; by default, when somebody starts it.',
  }),
};

export const loopPlan = z.object(planFields).meta({ id: 'LoopPlan' });
export type LoopPlan = z.output<typeof loopPlan>;

const skipped = z.array(z.object({ reason: z.string(), count: int() }));

export const turnSchema = z
  .object({
    id: z.string(),
    number: int(),
    phase: z.enum(['waiting', 'collecting', 'training', 'testing', 'asking', 'rolling-out', 'ended']),
    outcome: z
      .enum([
        'promoted',
        'nothing-to-train',
        'over-budget',
        'rejected',
        'not-enough-evidence',
        'declined',
        'returned',
        'changed',
        'failed',
        'canceled',
      ])
      .nullable(),
    /** Why it ended so, or what it waits for. */
    reason: z.string().nullable(),
    starts_at: timestamp(),
    started_at: timestamp().nullable(),
    ended_at: timestamp().nullable(),
    undone_at: timestamp().nullable(),
    undone_by: z.string().nullable(),
    collected: z
      .object({
        matched: int(),
        read: int(),
        /** Chats, or trajectories. */
        kept: int(),
        tokens: int(),
        skipped,
      })
      .nullable(),
    incumbent: z.string().nullable(),
    candidate: z.string().nullable(),
    training_job_id: z.string().nullable(),
    gate_id: z.string().nullable(),
    verdict: z.enum(['promote', 'reject', 'not-enough-evidence']).nullable(),
    question: z
      .object({
        text: z.string(),
        approver: z.string(),
        asked_at: timestamp(),
        answer: z.enum(['yes', 'no']).nullable(),
        reason: z.string().nullable(),
        answered_by: z.string().nullable(),
        answered_at: timestamp().nullable(),
      })
      .nullable(),
    rollout: z
      .object({
        policy: z.string(),
        /** The version of the policy before the candidate had traffic, and the one of the latest stage. */
        version_before: int(),
        version: int(),
        /** From 1; past the last stage, the candidate has all traffic. */
        stage: int(),
        stages: z.array(float()),
        stage_began_at: timestamp(),
        /** Units of the candidate that count so far in this stage, for the scorer with the fewest; null without scorers. */
        counted: int().nullable(),
      })
      .nullable(),
  })
  .meta({ id: 'LoopTurn' });

export const loopSchema = z
  .object({
    name: z.string(),
    plan: loopPlan,
    paused_at: timestamp().nullable(),
    paused_reason: z.string().nullable(),
    created_by: z.string(),
    created_at: timestamp(),
    updated_at: timestamp(),
    latest_turn: turnSchema.nullable(),
  })
  .meta({ id: 'Loop' });

export const answerBody = z
  .object({ answer: z.enum(['yes', 'no']), reason: text().default('') })
  .meta({ id: 'LoopAnswerBody' });
