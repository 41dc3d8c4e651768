import { parseRef, type Ref } from '../../domain/refs.ts';
import type { Caller, Identity } from '../../identity/identity.ts';
import { invalidInput, notFound } from '../../util/failures.ts';
import { stringifyLossless } from '../../util/json/lossless.ts';
import type { Deps } from '../deps.ts';
import { externalRefs } from './convert-refs.ts';
import { type RefRoot, runWalks, type WalkEnd } from './run-walks.ts';

const refsMax = 1000;

/**
 * The values (JSON text) behind refs to objects and ops, in order; null for a deleted version.
 * @throws Failure if one of them cannot be read
 */
export async function readRefs(
  deps: Pick<Deps, 'clickhouse' | 'postgres' | 'identity'>,
  caller: Caller,
  refs: string[],
): Promise<string[]> {
  if (refs.length > refsMax) throw invalidInput('Too many refs');
  const roots = await findRoots(deps.identity, caller, refs.map(readableRef));
  const ends = await runWalks(deps, caller, roots);
  refuseMissing(ends, roots);
  const texts = ends.map(textOf);
  const toExternal = await externalRefs(deps.identity, caller, texts);
  return texts.map(toExternal);
}

type ObjectRef = Extract<Ref, { kind: 'object' | 'op' }>;

/** @throws Failure for a string that is not a ref, or not one that can be read here. */
function readableRef(uri: string): ObjectRef {
  const ref = parseRef(uri);
  switch (ref?.kind) {
    case undefined:
      throw invalidInput(`Invalid URI: ${uri}`);
    case 'object':
    case 'op':
      if (ref.digest === 'latest') throw invalidInput('Reading refs with `latest` is not supported');
      return ref;
    case 'table':
      throw invalidInput('Table refs not supported');
    case 'call':
      throw invalidInput('Call refs not supported in batch read, use calls_query_stream');
    default:
      throw invalidInput(`Refs of the kind ${ref?.kind} cannot be read in a batch`);
  }
}

/** @throws Failure for a project that the caller cannot read. */
async function findRoots(identity: Identity, caller: Caller, refs: ObjectRef[]): Promise<RefRoot[]> {
  const roots: RefRoot[] = [];
  for (const { entity, project, name, digest, steps } of refs) {
    const projectId = await identity.projectForRead(caller, `${entity}/${project}`);
    roots.push({ projectId, objectId: name, digest, steps });
  }
  return roots;
}

/** @throws Failure that lists every version that was not found. */
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
