/**
 * The address of a stored thing as clients write it: `weave:///ENTITY/PROJECT/KIND/…`. Steps select a value inside it,
 * `/attr/rows/id/ROWDIGEST/key/question`.
 */
export type Ref = { entity: string; project: string } & (
  | { kind: 'object' | 'op'; name: string; digest: string; steps: RefStep[] }
  | { kind: 'table'; digest: string; steps: RefStep[] }
  | { kind: 'call'; id: string; steps: RefStep[] }
  | { kind: 'agent_turn'; traceId: string }
  | { kind: 'agent_conversation'; conversationId: string }
  | { kind: 'agent_span'; spanId: string }
);

/** `attr` and `key` name a member, `index` is an index into a list, `id` is the digest of a table row. */
export type RefStep = { edge: RefEdge; value: string };
type RefEdge = (typeof edges)[number];

const edges = ['attr', 'key', 'index', 'id'] as const;

/** Null if the string is not a ref. A digest may be any word without `/` and `:`; its meaning is resolved elsewhere. */
export function parseRef(uri: string): Ref | null {
  if (!uri.startsWith(scheme)) return null;
  const [entity, project, kind, id, ...path] = uri.slice(scheme.length).split('/');
  if (!entity || !project || !id) return null;
  if (kind === 'object' || kind === 'op') {
    const version = parseVersion(id);
    const steps = parseSteps(path);
    return version && steps && { entity, project, kind, ...version, steps };
  }
  if (kind === 'table' || kind === 'call') {
    const steps = parseSteps(path);
    return steps && { entity, project, ...(kind === 'table' ? { kind, digest: id } : { kind, id }), steps };
  }
  if (path.length > 0) return null;
  switch (kind) {
    case 'agent_turn':
      return { entity, project, kind, traceId: id };
    case 'agent_conversation':
      return { entity, project, kind, conversationId: decode(id) };
    case 'agent_span':
      return { entity, project, kind, spanId: id };
    default:
      return null;
  }
}

export function formatRef(ref: Ref): string {
  return `${scheme}${ref.entity}/${ref.project}/${ref.kind}/${formatTail(ref)}`;
}

/** Whether the string is a ref in the canonical form of {@link formatRef}: only such strings in a payload count. */
export function isRef(text: string): boolean {
  const ref = parseRef(text);
  return ref !== null && formatRef(ref) === text;
}

const scheme = 'weave:///';

function parseVersion(text: string): { name: string; digest: string } | null {
  const [name, digest, ...rest] = text.split(':');
  return name && digest && rest.length === 0 ? { name, digest } : null;
}

function parseSteps(path: string[]): RefStep[] | null {
  if (path.length % 2 === 1) return null;
  const steps: RefStep[] = [];
  for (let i = 0; i < path.length; i += 2) {
    const edge = edges.find((name) => name === path[i]);
    const value = decode(path[i + 1]!);
    if (edge === undefined || (edge === 'index' && !/^-?\d+$/.test(value))) return null;
    steps.push({ edge, value });
  }
  return steps;
}

function formatTail(ref: Ref): string {
  switch (ref.kind) {
    case 'object':
    case 'op':
      return `${ref.name}:${ref.digest}${formatSteps(ref.steps)}`;
    case 'table':
      return ref.digest + formatSteps(ref.steps);
    case 'call':
      return ref.id + formatSteps(ref.steps);
    case 'agent_turn':
      return ref.traceId;
    case 'agent_conversation':
      return encode(ref.conversationId);
    case 'agent_span':
      return ref.spanId;
    default:
      return ref satisfies never;
  }
}

function formatSteps(steps: RefStep[]): string {
  return steps.map(({ edge, value }) => `/${edge}/${encode(value)}`).join('');
}

/** Like Python's `quote(value, safe="")`: JavaScript's own encoding leaves a few more characters unescaped. */
function encode(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replace(
    /[!*'()]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** A stray percent sign is kept, as in Python. */
function decode(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}
