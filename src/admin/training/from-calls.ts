import { z } from 'zod';
import { callsFilterSchema } from '../../contract/calls/filter.ts';
import { validate } from '../../contract/validate.ts';
import { parseQuery } from '../../domain/query/parse-query.ts';
import { parseTextQuery } from '../../domain/query/text-query.ts';
import type { TrainingFromCalls } from '../../finetuning/from-calls/training-from-calls.ts';
import type { Identity } from '../../identity/identity.ts';
import { invalidInput } from '../../util/failures.ts';
import { parseLossless, stringifyLossless } from '../../util/json/lossless.ts';
import { parsePlain } from '../../util/json/parse.ts';
import { serverOwnerOf } from '../owner.ts';
import type { Watch } from '../pull/progress.ts';

type Parts = { identity: Identity; trainingFromCalls: TrainingFromCalls };

const wanted = z.object({
  project: z.string(),
  model: z.string().regex(/^[^/:]+$/, 'The name of a model has no slash and no colon'),
  base: z.string().nullable(),
  /** As `experimental_config` of the API. */
  config: z.record(z.string(), z.unknown()),
});

export const previewParams = wanted.extend({
  from: z.string(),
  reward: z.string(),
  groupBy: z.string(),
  limit: z.number().int().min(1),
});

/** A preview of a job's training data, for the owner of the server. */
export async function previewTraining(parts: Parts, params: z.output<typeof previewParams>, watch: Watch) {
  const sought = callsSought(params.from);
  const owner = await serverOwnerOf(parts, params.project, 'read');
  watch.report({ step: 'reading', file: 'calls' });
  return parts.trainingFromCalls.rl.preview({ ...params, ...owner, ...sought }, watch.signal);
}

const trajectory = z.object({ callIds: z.array(z.string()), reward: z.number() });
export const startTrainingParams = wanted.extend({
  chosen: z.array(z.array(trajectory)),
  allowsSuiteRows: z.boolean().default(false),
});

export async function startTraining(parts: Parts, { chosen, ...params }: z.output<typeof startTrainingParams>) {
  const owner = await serverOwnerOf(parts, params.project, 'write');
  return parts.trainingFromCalls.rl.start({ ...params, ...owner }, chosen);
}

/** A condition as people type it, or JSON as the API takes it: `{"$expr": …}`, or an object with `filter` and `query`. */
export function callsSought(from: string) {
  if (!from.trimStart().startsWith('{')) return { filter: null, query: parseTextQuery(from) };
  const tree = readJson(from);
  if (tree.has('$expr')) return { filter: null, query: parseQuery(tree) };
  const [filter, query] = [tree.get('filter') ?? null, tree.get('query') ?? null];
  const unknown = [...tree.keys()].filter((key) => key !== 'filter' && key !== 'query');
  if (unknown.length > 0)
    throw invalidInput(`The filter has the unknown key ${unknown[0]}. Expected filter and query, or $expr.`);
  const known = filter === null ? null : validate(callsFilterSchema, parsePlain(stringifyLossless(filter)), 'filter');
  return { filter: known, query: query === null ? null : parseQuery(query) };
}

function readJson(text: string) {
  try {
    const tree = parseLossless(text);
    if (tree instanceof Map) return tree;
  } catch (error) {
    throw invalidInput(`The filter is not valid JSON: ${(error as Error).message}`);
  }
  throw invalidInput('The filter is not a JSON object.');
}
