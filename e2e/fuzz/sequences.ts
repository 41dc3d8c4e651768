import fc from 'fast-check';
import { type JsonSchema, tempers } from './json-arbitrary.ts';
import type { Operation } from './operations.ts';
import { type RequestSketch, requestsWith } from './request-arbitrary.ts';

/** Requests that are sent at once. */
export type Step = { operation: Operation; sketch: RequestSketch }[];

/**
 * Sequences of steps about the same few things: some that use them, one that takes something away, and some that use
 * what is gone.
 */
export function sequencesOf(all: Operation[], schemas: Record<string, JsonSchema>): fc.Arbitrary<Step[]> {
  const stateful = all.filter(({ group }) => !stateless.has(group));
  const removing = stateful.filter(removes);
  const requestOf = (operations: Operation[]) =>
    fc.oneof(
      ...operations.map((operation) =>
        requestsWith(operation, schemas, tempers.valid).map((sketch) => ({ operation, sketch })),
      ),
    );
  const use = requestOf(stateful);
  const step = fc.array(use, { minLength: 1, maxLength: 6 });
  const removal = fc
    .tuple(requestOf(removing), fc.array(use, { maxLength: 3 }))
    .map(([one, others]) => [one, ...others]);
  const steps = fc.array(step, { minLength: 1, maxLength: 3 });
  return fc.tuple(steps, removal, steps).map(([before, between, after]) => [...before, between, ...after]);
}

/** Whether an operation takes away, or ends, what others use. */
export function removes({ name }: Operation): boolean {
  return /^DELETE|delete|purge|remove|replace/.test(name);
}

const stateless = new Set(['Service', 'Inference catalogue', 'Models', 'Chat', 'Login']);
