import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { projectParams } from '../project.ts';
import { int, optional, text } from '../wire.ts';
import { gateGuardrail, gateSchema, gateTarget, gateWatch, group, path } from './gate.ts';

const count = (least: number, most: number) =>
  int().refine((value) => value >= least && value <= most, {
    error: `Input should be from ${least} to ${most}`,
  });

const params = z.record(z.string(), z.unknown());

export const gateRequest = z
  .object({
    suite: text(),
    /** Models by name or ref, as evaluations take them. */
    candidate: text(),
    incumbent: text(),
    /**
     * Messages and parameters of models that are given by name: `messages_template`, or `prompt`, a published prompt by ref,
     * `name:version` or name, `temperature`, `max_tokens`.
     */
    model_params: optional(params),
    /** The same of one model, in place of those in `model_params`. A published model has its own. */
    candidate_params: optional(params),
    incumbent_params: optional(params),
    /** Published scorers, or rules. */
    scorers: z.array(text()).max(100),
    target: gateTarget,
    guardrails: z.array(gateGuardrail).max(100).default([]),
    watched: z.array(gateWatch).max(1000).default([]),
    rows_max: optional(count(1, 1_000_000)),
    repeats: count(1, 100).default(1),
    /** Gives the order of threads; random by default. */
    seed: optional(text()),
  })
  .meta({ id: 'GateCreateBody' });

export const gateCreate = defineEndpoint({
  method: 'POST',
  path,
  group,
  name: 'Gate Create',
  description:
    'Compares a candidate with the incumbent on a suite, thread by thread, until the evidence decides. The plan is stored before ' +
    'the first answer, and spends of the α of the suite.',
  params: projectParams,
  body: gateRequest,
  answer: { kind: 'json', schema: gateSchema },
});
