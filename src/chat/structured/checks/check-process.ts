import { LRUCache } from 'lru-cache';
import { parsePlain } from '../../../util/json/parse.ts';
import { serveIsolated } from '../../../util/workers/serve-isolated.ts';
import { validatorOf } from './validator.ts';

/** The process that checks answers against schemas, which are untrusted programs: started by `answer-checks.ts`. */
export type CheckRequest = { schema: string; answer: string };

/** Where the answer violates the schema, or null. */
export type CheckReply = string | null;

const validatorsMax = 32;

/** By schema. */
const validators = new LRUCache<string, (value: unknown) => string | null>({ max: validatorsMax });

serveIsolated(({ schema, answer }: CheckRequest): CheckReply => {
  let value: unknown;
  try {
    value = parsePlain(answer);
  } catch {
    return 'JSON';
  }
  return validatorFor(schema)(value);
});

function validatorFor(schema: string) {
  const validate = validators.get(schema) ?? validatorOf(parsePlain(schema));
  validators.set(schema, validate);
  return validate;
}
