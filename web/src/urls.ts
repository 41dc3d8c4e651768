/** The addresses of all pages. Links are made here, so that no page spells the address of another one. */

export type ProjectAddress = { entity: string; project: string };

export function projectUrl({ entity, project }: ProjectAddress, page = 'traces'): string {
  return `/${encodeURIComponent(entity)}/${encodeURIComponent(project)}/weave/${page}`;
}

export function callUrl(address: ProjectAddress, callId: string): string {
  return projectUrl(address, `calls/${encodeURIComponent(callId)}`);
}

/** The results of one run of an evaluation, or of several beside each other. */
export function evaluationResultsUrl(address: ProjectAddress, runIds: string[]): string {
  return `${projectUrl(address, 'evaluations/results')}?runs=${runIds.map(encodeURIComponent).join(',')}`;
}

export function versionUrl(
  address: ProjectAddress,
  { kind, name, digest }: { kind: 'objects' | 'ops'; name: string; digest: string },
): string {
  return projectUrl(address, `${kind}/${encodeURIComponent(name)}/versions/${encodeURIComponent(digest)}`);
}

export function playgroundUrl(address: ProjectAddress): string {
  return projectUrl(address, 'playground');
}

/** `entity/project`, the id of a project in requests. */
export function projectIdOf({ entity, project }: ProjectAddress): string {
  return `${entity}/${project}`;
}

/** The parts of `entity/project`. */
export function projectAddressOf(projectId: string): ProjectAddress {
  const [entity = '', project = ''] = projectId.split('/');
  return { entity, project };
}
