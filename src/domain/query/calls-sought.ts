import { callsFilterSchema } from '../../contract/calls/filter.ts';
import { validate } from '../../contract/validate.ts';
import { invalidInput } from '../../util/failures.ts';
import { parseLossless, stringifyLossless } from '../../util/json/lossless.ts';
import { parsePlain } from '../../util/json/parse.ts';
import type { CallsFilter } from '../calls/calls-filter.ts';
import type { Operation } from './operation.ts';
import { parseQuery } from './parse-query.ts';
import { parseTextQuery } from './text-query.ts';

type CallsSought = { filter: Partial<CallsFilter> | null; query: Operation | null };

/** A condition as people type it, or JSON as the API takes it: `{"$expr": …}`, or an object with `filter` and `query`. */
export function callsSought(from: string): CallsSought {
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
