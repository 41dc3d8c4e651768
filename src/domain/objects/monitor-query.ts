import { Failure, invalidInput, ValidationError } from '../../util/failures.ts';
import { resolveCallField } from '../calls/call-field.ts';
import { fieldPaths } from '../query/operation.ts';
import { parsePublishedQuery } from '../query/parse-query.ts';
import type { IncomingValue } from './incoming-value.ts';

/**
 * A monitor runs its query over calls later, without its author, so errors in it are reported now. Values that do not
 * have the shape of a query are stored as they are, and so are queries over agent spans, which have different fields.
 * @throws Failure for a field that calls do not have, or for a query that cannot run.
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

function queriedFields(query: Parameters<typeof parsePublishedQuery>[0]): string[] {
  try {
    return fieldPaths(parsePublishedQuery(query));
  } catch (error) {
    if (error instanceof ValidationError) return [];
    throw error instanceof Failure ? invalidInput(`Invalid query: ${error.message}`) : error;
  }
}
