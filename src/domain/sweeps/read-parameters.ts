import { z } from 'zod';
import { invalidInput } from '../../util/failures.ts';
import type { Distribution, Parameter } from './sweep-plan.ts';

/** Reads the parameters of a sweep; a parameter with `parameters` of its own is a group. @throws Failure */
export function readParameters(parameters: Record<string, unknown>, parents: string[] = []): Parameter[] {
  const read = Object.entries(parameters).flatMap(([key, given]) => {
    const path = [...parents, key];
    const group = groupSchema.safeParse(given);
    if (!group.success) return [{ path, distribution: readDistribution(path, given) }];
    if (path.length === depthMax) throw invalidInput(`Parameters can be nested ${depthMax} times.`);
    return readParameters(group.data.parameters, path);
  });
  if (read.length === 0) throw invalidInput('A sweep needs at least one parameter.');
  return read;
}

const depthMax = 20;
const groupSchema = z.object({ parameters: z.record(z.string(), z.unknown()) });

function readDistribution(path: string[], given: unknown): Distribution {
  const parameter = z.looseObject({}).safeParse(given);
  const named = { ...parameter.data, distribution: parameter.data?.distribution ?? usualDistribution(parameter.data) };
  const result = parameterSchema.safeParse(named);
  if (result.success) return result.data;
  throw invalidInput(`The parameter ${path.join('.')} of the sweep is invalid: ${z.prettifyError(result.error)}`);
}

/** The distribution of a parameter that names none. */
function usualDistribution({ value, values, min, max }: Record<string, unknown> = {}): string | undefined {
  if (value !== undefined) return 'constant';
  if (values !== undefined) return 'categorical';
  if (min === undefined || max === undefined) return undefined;
  return Number.isInteger(min) && Number.isInteger(max) ? 'int_uniform' : 'uniform';
}

const range = { min: z.number(), max: z.number() };

const parameterSchema = z.discriminatedUnion(
  'distribution',
  [
    z
      .strictObject({ distribution: z.literal('constant'), value: z.json() })
      .transform(({ value }): Distribution => ({ kind: 'values', values: [value], probabilities: null })),
    z
      .strictObject({
        distribution: z.enum(['categorical', 'categorical_w_probabilities']),
        values: z.array(z.json()).min(1),
        probabilities: z.array(z.number().nonnegative()).nullish(),
      })
      .refine(({ values, probabilities }) => !probabilities || isDistribution(probabilities, values.length), {
        error: 'expected a probability for each value, with the sum 1',
        path: ['probabilities'],
      })
      .transform(
        ({ values, probabilities }): Distribution => ({ kind: 'values', values, probabilities: probabilities ?? null }),
      ),
    z
      .strictObject({ distribution: z.literal('int_uniform'), min: z.int(), max: z.int() })
      .refine(isOrdered, ordered())
      .transform(({ min, max }): Distribution => ({ kind: 'steps', min, step: 1, count: max - min + 1 })),
    z
      .strictObject({ distribution: z.literal('q_uniform'), ...range, q: z.number().positive().default(1) })
      .refine(isOrdered, ordered())
      .transform(
        ({ min, max, q }): Distribution => ({
          kind: 'steps',
          min,
          step: q,
          count: Math.floor((max - min) / q + 1e-9) + 1, // the last step may miss max by a rounding error
        }),
      ),
    z
      .strictObject({ distribution: z.literal('uniform'), ...range })
      .refine(isOrdered, ordered())
      .transform(({ min, max }): Distribution => ({ kind: 'uniform', min, max })),
    z
      .strictObject({ distribution: z.literal('log_uniform_values'), min: z.number().positive(), max: z.number() })
      .refine(isOrdered, ordered())
      .transform(({ min, max }): Distribution => ({ kind: 'logUniform', min, max })),
    z
      .strictObject({
        distribution: z.literal('normal'),
        mu: z.number().default(0),
        sigma: z.number().nonnegative().default(1),
      })
      .transform(({ mu, sigma }): Distribution => ({ kind: 'normal', mu, sigma })),
  ],
  {
    error: ({ code, input }) =>
      code === 'invalid_union'
        ? `expected value, values, or one of the distributions constant, categorical, int_uniform, uniform, q_uniform, log_uniform_values and normal (found ${JSON.stringify((input as { distribution?: unknown }).distribution)})`
        : undefined,
  },
);

function isOrdered({ min, max }: { min: number; max: number }): boolean {
  return min <= max;
}

function ordered() {
  return { error: 'min must not exceed max', path: ['min'] };
}

function isDistribution(probabilities: number[], length: number): boolean {
  const sum = probabilities.reduce((a, b) => a + b, 0);
  return probabilities.length === length && Math.abs(sum - 1) < 1e-6;
}
