import type { ProjectId } from '../../contract/ids.ts';

/** Where the bytes of a file lie in the blob store. */
export function fileKey(projectId: ProjectId, digest: string): string {
  return `projects/${projectId}/files/${digest}`;
}
