/** Where the bytes of a file lie in the blob store. */
export function fileKey(projectId: string, digest: string): string {
  return `projects/${projectId}/files/${digest}`;
}
