/** The key of a file's bytes in the blob store. */
export function fileKey(projectId: string, digest: string): string {
  return `projects/${projectId}/files/${digest}`;
}
