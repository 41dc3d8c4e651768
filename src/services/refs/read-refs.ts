import { badRequest, notFound } from '../../contract/errors.ts';
import { parseRef, type Ref } from '../../domain/refs.ts';
import type { Caller, Identity } from '../../identity/identity.ts';
import { stringifyLossless } from '../../util/json/lossless.ts';
import type { Deps } from '../deps.ts';
import { externalRefs } from './convert-refs.ts';
import { type RefRoot, runWalks, type WalkEnd } from './run-walks.ts';

const refsMax = 1000;

/**
 * The values (JSON text) behind refs to objects and ops, in order; null behind one that was deleted.
 * @throws ApiError 400, 403 or 404 where one of them cannot be read
 */
export async function readRefs(
  deps: Pick<Deps, 'clickhouse' | 'postgres' | 'identity'>,
  caller: Caller,
  refs: string[],
): Promise<string[]> {
  if (refs.length > refsMax) throw badRequest('Too many refs');
  const roots = await findRoots(deps.identity, caller, refs.map(readableRef));
  const ends = await runWalks(deps, caller, roots);
  refuseMissing(ends, roots);
  const texts = ends.map(textOf);
  const toExternal = await externalRefs(deps.identity, caller, texts);
  return texts.map(toExternal);
}

type ObjectRef = Extract<Ref, { kind: 'object' | 'op' }>;

/** @throws ApiError 400 for what is no ref, or none that can be read here. */
function readableRef(uri: string): ObjectRef {
  const ref = parseRef(uri);
  switch (ref?.kind) {
    case undefined:
      throw badRequest(`Invalid URI: ${uri}`);
    case 'object':
    case 'op':
      if (ref.digest === 'latest') throw badRequest('Reading refs with `latest` is not supported');
      return ref;
    case 'table':
      throw badRequest('Table refs not supported');
    case 'call':
      throw badRequest('Call refs not supported in batch read, use calls_query_stream');
    default:
      throw badRequest(`Refs of the kind ${ref?.kind} cannot be read in a batch`);
  }
}

/** @throws ApiError 400, 403 or 404 for a project that the caller cannot read. */
async function findRoots(identity: Identity, caller: Caller, refs: ObjectRef[]): Promise<RefRoot[]> {
  const roots: RefRoot[] = [];
  for (const { entity, project, name, digest, steps } of refs) {
    const projectId = await identity.projectForRead(caller, `${entity}/${project}`);
    roots.push({ projectId, objectId: name, digest, steps });
  }
  return roots;
}

/** @throws ApiError 404 that lists every version that was not found. */
function refuseMissing(ends: WalkEnd[], roots: RefRoot[]): void {
  const missing = new Set(ends.flatMap((end) => (end.kind === 'missing' ? [end.digest] : [])));
  if (missing.size === 0) return;
  const digests = new Set([...roots.map(({ digest }) => digest), ...missing]);
  const listed = [...missing].sort();
  throw notFound(
    `Ref read contains ${digests.size} digests, but found ${digests.size - missing.size} objects. ` +
      `Diff digests: ${JSON.stringify(listed)}`,
    { missing_object_digests: listed },
  );
}

function textOf(end: WalkEnd): string {
  if (end.kind === 'value') return stringifyLossless(end.value);
  throw end.kind === 'refused' ? end.error : new Error('a missing version was not refused');
}
