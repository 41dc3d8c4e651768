import { randomUUID } from 'node:crypto';
import type { TestServer } from './server.ts';

type Fields = Record<string, unknown>;

/** A time in the hour in which calls start by default. */
export function at(minute: number, second = 0): string {
  return new Date(Date.UTC(2024, 0, 1, 0, minute, second)).toISOString();
}

/** The start of a call as a client sends it. */
export function startOf<More extends Fields = Fields>(project: string, more: More = {} as More) {
  const fields = { project_id: project, id: randomUUID(), trace_id: randomUUID(), op_name: 'op' };
  return { ...fields, started_at: '2024-01-01T00:00:00Z', attributes: {}, inputs: {}, ...more };
}

/** The end of a call as a client sends it. */
export function endOf({ project_id, id }: { project_id: string; id: string }, more: Fields = {}) {
  return { project_id, id, ended_at: '2024-01-01T00:00:01Z', output: null, summary: {}, ...more };
}

/** A finished call as a client sends it. */
export function completeOf(project: string, more: Fields = {}) {
  const start = startOf(project);
  return { ...start, ...endOf(start), ...more } as ReturnType<typeof startOf> & Fields;
}

/** Sends finished calls and returns their ids. */
export async function logCalls(server: TestServer, project: string, calls: Fields[]): Promise<string[]> {
  const batch = calls.map((more) => completeOf(project, more));
  const answer = await server.post(`/v2/${project}/calls/complete`, { batch });
  if (answer.status !== 200 || answer.text !== '{}') throw new Error(`calls were refused: ${answer.text}`);
  return batch.map((call) => call.id);
}

/** The call as `/call/read` answers it, and as text, where digits matter. */
export async function readCall(server: TestServer, project: string, id: string) {
  const answer = await server.post('/call/read', { project_id: project, id });
  return { ...answer, call: answer.json?.call };
}

/** The calls a query finds. */
export async function queryCalls(server: TestServer, project: string, query: Fields = {}) {
  const answer = await server.post('/calls/stream_query', { project_id: project, ...query });
  return { ...answer, calls: answer.lines };
}
