import type { ProjectId } from '../../contract/ids.ts';

/** The keys of artifacts in the blob store. */
export const artifactKeys = {
  /** A file, by the MD5 of its bytes: artifacts of a project that have the same file share it. */
  file: (projectId: ProjectId, md5: string) => `projects/${projectId}/artifact-files/${md5}`,
  manifest: (projectId: ProjectId, artifactId: string) => `projects/${projectId}/artifact-manifests/${artifactId}`,
};
