import type { Heddle } from './heddle.ts';

// biome-ignore lint/suspicious/noExplicitAny: calls hold whatever programs put in
export type StoredCall = any;

/** What the server stored, read without any client, in the order of the starts. */
export async function storedCalls(heddle: Heddle, project: string, filter: object = {}): Promise<StoredCall[]> {
  const sort_by = [{ field: 'started_at', direction: 'asc' }];
  const answer = await heddle.post('/calls/stream_query', { project_id: project, filter, sort_by });
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  return answer.lines;
}

/** `add` of `weave:///ent/p0/op/add:<digest>`. */
export function opName(call: { op_name: string }): string {
  return /\/op\/(.*):[^:]*$/.exec(call.op_name)?.[1] ?? call.op_name;
}

/** A trace as a tree of op names: `{ root: [{ child: [] }] }`. */
export function treeOf(calls: StoredCall[], parent: string | null = null): Tree[] {
  return calls.filter((call) => call.parent_id === parent).map((call) => ({ [opName(call)]: treeOf(calls, call.id) }));
}

type Tree = { [name: string]: Tree[] };
