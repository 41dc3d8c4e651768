import type { Literal, Operand, Operation } from '../../../domain/query/operation.ts';
import type { Calls } from '../../calls/calls.ts';
import type { Project } from '../../owner.ts';

/** The ids of the newest calls that record answers of heddle's own engine, the newest first. */
export async function newestAnswers(
  { calls }: { calls: Pick<Calls, 'query'> },
  project: Project,
  last: number,
): Promise<string[]> {
  const pages = await calls.query({
    ...{ project, query: isDrawn, columns: new Set(['id'] as const), limit: last },
    sortBy: [{ field: 'started_at', direction: 'desc' }],
  });
  const ids: string[] = [];
  for await (const page of pages) ids.push(...page.map(({ call }) => call.id));
  return ids;
}

const literal = (value: Literal): Operand => ({ kind: 'literal', literal: value });

const isDrawn: Operation = {
  kind: 'in',
  operand: { kind: 'field', path: 'attributes.heddle.draws.from' },
  list: ['model', 'greedy', 'adjusted'].map((value) => literal({ type: 'string', value })),
};
