import type { ProjectId } from '../../contract/ids.ts';

/** Where the rows of a run are in the blob store, one to a line, if the request that created it had them. */
export function rowsKey(projectId: ProjectId, callId: string): string {
  return `projects/${projectId}/openai-evals/${callId}/rows.jsonl`;
}
