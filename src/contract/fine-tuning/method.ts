import { z } from 'zod';
import { grader } from '../graders/grader.ts';
import { float, int, optional } from '../wire.ts';

/** A number within bounds, or `auto`, which is also the default. */
function autoOr(number: ReturnType<typeof int>, isValid: (value: number) => boolean, expected: string) {
  const checked = number.refine(isValid, {
    error: `Input should be ${expected}, or auto`,
    params: { type: 'value_error' },
  });
  return z.union([z.literal('auto'), checked]).nullish();
}

const shared = {
  n_epochs: autoOr(int(), (value) => value >= 1 && value <= 50, 'from 1 to 50'),
  batch_size: autoOr(int(), (value) => value >= 1 && value <= 256, 'from 1 to 256'),
  learning_rate_multiplier: autoOr(float(), (value) => value > 0, 'greater than 0'),
};

export const supervisedHyperparameters = z.looseObject(shared).meta({ id: 'SupervisedHyperparameters' });

const dpoHyperparameters = z
  .looseObject({ ...shared, beta: autoOr(float(), (value) => value > 0 && value <= 2, 'from 0 to 2') })
  .meta({ id: 'DpoHyperparameters' });

const reinforcementHyperparameters = z
  .looseObject({
    ...shared,
    compute_multiplier: autoOr(float(), (value) => value > 0 && value <= 8, 'from 0 to 8'),
    eval_interval: autoOr(int(), (value) => value >= 1, '1 or more'),
    eval_samples: autoOr(int(), (value) => value >= 1 && value <= 10, 'from 1 to 10'),
    reasoning_effort: z.enum(['default', 'low', 'medium', 'high']).nullish(),
  })
  .meta({ id: 'ReinforcementHyperparameters' });

/** How a job trains, as clients send it. */
export const wantedMethod = z
  .discriminatedUnion('type', [
    z.looseObject({
      type: z.literal('supervised'),
      supervised: optional(z.looseObject({ hyperparameters: supervisedHyperparameters.nullish() })),
    }),
    z.looseObject({
      type: z.literal('dpo'),
      dpo: optional(z.looseObject({ hyperparameters: dpoHyperparameters.nullish() })),
    }),
    z.looseObject({
      type: z.literal('reinforcement'),
      reinforcement: z.looseObject({ grader, hyperparameters: reinforcementHyperparameters.nullish() }),
    }),
  ])
  .meta({ id: 'FineTuneMethodRequest' });

export type WantedMethod = z.output<typeof wantedMethod>;

const chosen = { n_epochs: z.int(), batch_size: z.int(), learning_rate_multiplier: z.number() };
const chosenHyperparameters = z.object(chosen);

/** The same with all values filled in, as jobs store it. */
export const fineTuningMethod = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('supervised'), supervised: z.object({ hyperparameters: chosenHyperparameters }) }),
    z.object({
      type: z.literal('dpo'),
      dpo: z.object({ hyperparameters: z.object({ ...chosen, beta: z.number() }) }),
    }),
    z.object({
      type: z.literal('reinforcement'),
      reinforcement: z.object({
        grader,
        hyperparameters: z.object({
          ...chosen,
          compute_multiplier: z.number(),
          eval_interval: z.int(),
          eval_samples: z.int(),
          reasoning_effort: z.enum(['default', 'low', 'medium', 'high']),
        }),
      }),
    }),
  ])
  .meta({ id: 'FineTuneMethod' });

export type FineTuningMethod = z.output<typeof fineTuningMethod>;

export const sharedHyperparameters = chosenHyperparameters.meta({ id: 'FineTuneHyperparameters' });
