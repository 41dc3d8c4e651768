import { unacceptable } from '../../util/failures.ts';
import { payloadNames, plainNames } from './answer-fields.ts';

/** The fields of a returned call that can be left out. */
export type AnswerColumn = (typeof answerColumns)[number];

/**
 * The columns a request selects, null for all. `inputs.x` selects all of `inputs`. `includeCosts` selects
 * the summary too: costs are shown in it, beside what is stored there.
 * @throws Failure for a column calls do not have.
 */
export function selectColumns(columns: string[] | null, includeCosts = false): ReadonlySet<AnswerColumn> | null {
  if (columns === null) return null;
  const selected = new Set<AnswerColumn>(alwaysSelected);
  for (const name of columns) {
    const root = name.split('.')[0]!.replace(/^(attributes|inputs|output|summary)_dump$/, '$1');
    const column = answerColumns.find((each) => each === root);
    if (column === undefined) throw unacceptable(`Unknown column ${name}. Allowed are ${answerColumns.join(', ')}`);
    selected.add(column);
  }
  if (includeCosts) selected.add('summary');
  if (selected.has('summary')) for (const column of shownInSummary) selected.add(column);
  return selected;
}

const alwaysSelected = ['id', 'project_id', 'trace_id', 'op_name', 'started_at'] as const;
/** `summary.weave` is computed from these. */
const shownInSummary = ['ended_at', 'exception', 'display_name'] as const;

const answerColumns = [
  ...plainNames,
  ...payloadNames,
  'otel_dump',
  'storage_size_bytes',
  'total_storage_size_bytes',
] as const;
