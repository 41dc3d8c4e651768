/** The addresses of all pages. Links are made here, so that no page spells the address of another one. */

export type ProjectAddress = { entity: string; project: string };

export function projectUrl({ entity, project }: ProjectAddress, page = 'traces'): string {
  return `/${encodeURIComponent(entity)}/${encodeURIComponent(project)}/weave/${page}`;
}

export function callUrl(address: ProjectAddress, callId: string): string {
  return projectUrl(address, `calls/${encodeURIComponent(callId)}`);
}

/** Where a call comes from, and what was trained on it. */
export function lineageUrl(address: ProjectAddress, callId: string): string {
  return `${callUrl(address, callId)}?tab=lineage`;
}

/** More calls are hard to compare side by side. */
export const comparedCallsMax = 6;

/** Calls beside each other. */
export function compareUrl(address: ProjectAddress, callIds: string[]): string {
  return `${projectUrl(address, 'compare')}?calls=${callIds.map(encodeURIComponent).join(',')}`;
}

export function queueUrl(address: ProjectAddress, queueId: string): string {
  return projectUrl(address, `queues/${encodeURIComponent(queueId)}`);
}

/** The results of one run of an evaluation, or of several beside each other. */
export function evaluationResultsUrl(address: ProjectAddress, runIds: string[]): string {
  return `${projectUrl(address, 'evaluations/results')}?runs=${runIds.map(encodeURIComponent).join(',')}`;
}

/** Comparisons of candidates with the incumbent: all, or those on a suite. */
export function gatesUrl(address: ProjectAddress, suite?: string): string {
  const page = projectUrl(address, 'gates');
  return suite === undefined ? page : `${page}?suite=${encodeURIComponent(suite)}`;
}

export function gateUrl(address: ProjectAddress, gateId: string): string {
  return projectUrl(address, `gates/${encodeURIComponent(gateId)}`);
}

export function versionUrl(
  address: ProjectAddress,
  { kind, name, digest }: { kind: 'objects' | 'ops'; name: string; digest: string },
): string {
  return projectUrl(address, `${kind}/${encodeURIComponent(name)}/versions/${encodeURIComponent(digest)}`);
}

/** A job of a model that is trained. */
export function trainingJobUrl(address: ProjectAddress, { model, id }: { model: string; id: string }): string {
  return `${projectUrl(address, 'training')}?model=${encodeURIComponent(model)}&job=${encodeURIComponent(id)}`;
}

/** The policies of a project, or one of them. */
export function policiesUrl(address: ProjectAddress, policy?: string): string {
  const page = projectUrl(address, 'policies');
  return policy === undefined ? page : `${page}?policy=${encodeURIComponent(policy)}`;
}

export function loopsUrl(address: ProjectAddress): string {
  return projectUrl(address, 'loops');
}

export function loopUrl(address: ProjectAddress, name: string): string {
  return projectUrl(address, `loops/${encodeURIComponent(name)}`);
}

/** A model that is trained, with its checkpoints. */
export function trainedModelUrl(address: ProjectAddress, model: string): string {
  return `${projectUrl(address, 'training')}?model=${encodeURIComponent(model)}`;
}

/** A run of a W&B client, by its id. */
export function runUrl(address: ProjectAddress, runId: string): string {
  return projectUrl(address, `runs/${encodeURIComponent(runId)}`);
}

/** The runs of a sweep. */
export function sweepUrl(address: ProjectAddress, sweepId: string): string {
  return `${projectUrl(address, 'runs')}?sweep=${encodeURIComponent(sweepId)}`;
}

export function playgroundUrl(address: ProjectAddress): string {
  return projectUrl(address, 'playground');
}

/** The playground with a prompt object: its latest version, or the one of the digest. */
export function promptPlaygroundUrl(address: ProjectAddress, name: string, digest?: string): string {
  return `${playgroundUrl(address)}?prompt=${encodeURIComponent(digest === undefined ? name : `${name}:${digest}`)}`;
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
