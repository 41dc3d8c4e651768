import { Failure, invalidInput, ValidationError } from '../../util/failures.ts';
import { resolveCallField } from '../calls/call-field.ts';
import { fieldPaths } from '../query/operation.ts';
import { parseQuery } from '../query/parse-query.ts';
import type { IncomingValue } from './incoming-value.ts';

/**
 * A monitor runs its query over calls later, out of its author's sight: so mistakes in it are told now. What has not the
 * shape of a query is stored as it is, and so is a query over agent spans, which have other fields.
 * @throws Failure for a field that calls do not have, or for a query that cannot be run.
 */
export function checkMonitorQuery({ value, classes }: IncomingValue): void {
  if (!monitors.includes(classes.base ?? '') && !monitors.includes(classes.leaf ?? '')) return;
  const query = value instanceof Map ? value.get('query') : undefined;
  if (!(value instanceof Map) || query === undefined || query === null || isOverSpans(value.get('op_names'))) return;
  for (const path of queriedFields(query)) resolveCallField(path);
}

const monitors = ['Monitor', 'ClassifierMonitor'];

function isOverSpans(opNames: unknown): boolean {
  return Array.isArray(opNames) && opNames.some((name) => typeof name === 'string' && name.startsWith('weave.genai.'));
}

function queriedFields(query: Parameters<typeof parseQuery>[0]): string[] {
  try {
    return fieldPaths(parseQuery(query));
  } catch (error) {
    if (error instanceof ValidationError) return [];
    throw error instanceof Failure ? invalidInput(`Invalid query: ${error.message}`) : error;
  }
}
