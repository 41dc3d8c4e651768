import type { TestServer } from './server.ts';

type Fields = Record<string, unknown>;

/** The ref of a call. */
export function callRef(project: string, id: string): string {
  return `weave:///${project}/call/${id}`;
}

/** Sends feedback, a remark on some call unless said otherwise, and returns the answer. */
export function sendFeedback(server: TestServer, project: string, more: Fields = {}) {
  const about = { project_id: project, weave_ref: callRef(project, 'c'), feedback_type: 'custom', payload: {} };
  return server.post('/feedback/create', { ...about, ...more });
}

/** The same, for feedback that must be taken; returns its id. */
export async function addFeedback(server: TestServer, project: string, more: Fields = {}): Promise<string> {
  const answer = await sendFeedback(server, project, more);
  if (answer.status !== 200) throw new Error(`feedback was refused: ${answer.text}`);
  return answer.json.id;
}

/** The answer to a query over the feedback of a project. */
export async function queryFeedback(server: TestServer, project: string, query: Fields = {}) {
  const answer = await server.post('/feedback/query', { project_id: project, ...query });
  return { ...answer, result: answer.json?.result, total: answer.json?.total_count, reason: answer.json?.reason };
}
