import type { ProjectId } from '../../contract/ids.ts';

/** The keys of artifacts in the blob store. */
export const artifactKeys = {
  /** A file, by the MD5 of its bytes: artifacts of a project that have the same file share it. */
  file: (projectId: ProjectId, md5: string) => `projects/${projectId}/artifact-files/${md5}`,
  /** Where clients write a file of a pending version to the bucket itself: what they write there is not trusted yet. */
  uploaded: (projectId: ProjectId, artifactId: string, md5: string) => `${uploadsOf(projectId, artifactId)}/${md5}`,
  /** Below it is what clients have written for a version. */
  uploads: uploadsOf,
  manifest: (projectId: ProjectId, artifactId: string) => `projects/${projectId}/artifact-manifests/${artifactId}`,
};

/** Outside of the projects, so that one rule of the bucket can remove what no version is made of. */
function uploadsOf(projectId: ProjectId, artifactId: string): string {
  return `unverified/${projectId}/${artifactId}`;
}
