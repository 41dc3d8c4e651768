/** The refs of what a project contains: how they are written, and what they name. */

export type ObjectRef = { entity: string; project: string; kind: 'objects' | 'ops'; name: string; digest: string };

/** The parts of `weave:///entity/project/object/name:digest`, also of an op; null for anything else. */
export function parseObjectRef(value: unknown): ObjectRef | null {
  if (typeof value !== 'string') return null;
  const [, entity, project, kind, name, digest] =
    /^weave:\/\/\/([^/]+)\/([^/]+)\/(object|op)\/([^/:]+):([^/:]+)(?:\/.*)?$/.exec(value) ?? [];
  if (!entity || !project || !name || !digest) return null;
  return {
    entity: decoded(entity),
    project: decoded(project),
    kind: kind === 'op' ? 'ops' : 'objects',
    name: decoded(name),
    digest,
  };
}

/** The digest of the table in `weave:///entity/project/table/digest`; null for anything else. */
export function tableDigestOf(value: unknown): string | null {
  return typeof value === 'string' ? (/^weave:\/\/\/[^/]+\/[^/]+\/table\/(\w+)$/.exec(value)?.[1] ?? null) : null;
}

/** The name of what a ref names, or the text itself. */
export function refTitle(value: unknown): string {
  return parseObjectRef(value)?.name ?? (typeof value === 'string' ? value : '');
}

/** The name of an op without its project and version: `weave:///ent/p/op/answer:digest` is `answer`. */
export function opTitle(opName: string): string {
  const [, name] = /^weave:\/\/\/.*\/op\/([^/:]+):[^:]*$/.exec(opName) ?? [];
  return name === undefined ? opName : decoded(name);
}

export function isRef(text: string): boolean {
  return text.startsWith('weave:///');
}

export function refOfCall(projectId: string, callId: string): string {
  return `weave:///${projectId}/call/${callId}`;
}

export function refOfObject(projectId: string, name: string, digest: string): string {
  return `weave:///${projectId}/object/${name}:${digest}`;
}

/** Filters take `*` for all versions. */
export function refOfOp(projectId: string, name: string, digest: string): string {
  return `weave:///${projectId}/op/${name}:${digest}`;
}

export function refOfTable(projectId: string, digest: string): string {
  return `weave:///${projectId}/table/${digest}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
