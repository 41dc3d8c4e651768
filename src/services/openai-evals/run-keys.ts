import type { ProjectId } from '../../contract/ids.ts';

/** Where the rows of a run are in the blob store, one per line, if the request that created the run contained them. */
export function rowsKey(projectId: ProjectId, callId: string): string {
  return `projects/${projectId}/openai-evals/${callId}/rows.jsonl`;
}
