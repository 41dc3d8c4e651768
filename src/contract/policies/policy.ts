import { z } from 'zod';
import { float, int, optional, text } from '../wire.ts';

export const group = 'Policies';
export const path = '/v2/{entity}/{project}/policies';

export const shares = () => z.record(z.string(), float());

const traffic = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('split'), shares: shares() }).meta({ id: 'PolicySplit' }),
  z
    .object({ kind: z.literal('stages'), candidate: text(), stages: z.array(float()), stage: int().default(1) })
    .meta({ id: 'PolicyStages' }),
  z
    .object({ kind: z.literal('shadow'), candidate: text(), share: float().default(1), tokens_per_day: int() })
    .meta({ id: 'PolicyShadow' }),
  z
    .object({
      kind: z.literal('best_arm'),
      scorer: text(),
      least: float().default(0.05),
      shares: optional(shares()),
      after_winner: z.enum(['keep_least', 'all_to_winner']).default('keep_least'),
    })
    .meta({ id: 'PolicyBestArm' }),
]);

export const policyScorer = z
  .object({
    reward: text(),
    low: float().default(0),
    high: float().default(1),
    window_seconds: float(),
    missing: z.enum(['ignore', 'zero', 'shown_only']).default('ignore'),
    harm: float().default(0.1),
  })
  .meta({ id: 'PolicyScorer' });

/** What a version says, as a client sends it and as it is returned. */
export const planFields = {
  variants: z.array(z.object({ name: text(), model: text(), prompt: optional(text()) }).meta({ id: 'PolicyVariant' })),
  incumbent: text(),
  traffic,
  scorers: z.array(policyScorer).default([]),
  alpha: float().default(0.05),
};

const planBody = z.object(planFields);
export type WirePlan = z.output<typeof planBody>;

const bound = () => z.number().nullable();

const look = z
  .object({
    until: z.string(),
    looked_at: z.string(),
    variants: z.array(
      z.object({
        name: z.string(),
        units: z.int(),
        moved_units: z.int(),
        answers: z.int(),
        failures: z.int(),
      }),
    ),
    scorers: z.array(
      z.object({
        reward: z.string(),
        variants: z.array(
          z.object({
            name: z.string(),
            open: z.int(),
            counted: z.int(),
            missing: z.int(),
            mean: bound(),
            lower: bound(),
            upper: bound(),
            harm_p: bound(),
          }),
        ),
      }),
    ),
    sample_ratio: z.object({ p: z.number(), is_mismatch: z.boolean() }),
    best_arm: z
      .object({
        reward: z.string(),
        since: z.int(),
        winner: z.string().nullable(),
        warning: z.string().nullable(),
        arms: z.array(
          z.object({
            name: z.string(),
            is_in: z.boolean(),
            counted: z.int(),
            missing: z.int(),
            mean: bound(),
            lower: bound(),
            upper: bound(),
            lowest: bound(),
            highest: bound(),
            evidence_against: z.number(),
          }),
        ),
      })
      .nullable(),
  })
  .meta({ id: 'PolicyLook' });

export const policyVersion = z
  .object({
    number: z.int(),
    created_at: z.string(),
    created_by: z.string().nullable(),
    reason: z.string(),
    undoes_to: z.int().nullable(),
    verdict: z.unknown(),
    ...planFields,
    shares: z.record(z.string(), z.number()),
    experiment: z.int(),
    look: look.nullable(),
  })
  .meta({ id: 'PolicyVersion' });

export const policyHead = { name: z.string(), model: z.string(), created_at: z.string() };

export const policyWithVersion = z.object({ ...policyHead, version: policyVersion }).meta({ id: 'Policy' });

export type PolicyVersionAnswer = z.output<typeof policyVersion>;
