import type { Context } from '../../context.ts';
import { badRequest, notFound } from '../../contract/errors.ts';
import type { refsReadBatch } from '../../contract/refs/read-batch.ts';
import { parseRef, type Ref } from '../../domain/refs.ts';
import type { Handler } from '../../http/bind.ts';
import type { Caller, Identity } from '../../identity/identity.ts';
import { JsonText } from '../../util/json/json-text.ts';
import { stringifyLossless } from '../../util/json/lossless.ts';
import { externalRefs } from '../../services/refs/convert-refs.ts';
import { type RefRoot, runWalks, type WalkEnd } from '../../services/refs/run-walks.ts';

const refsMax = 1000;

export function readRefs(
  context: Pick<Context, 'clickhouse' | 'postgres' | 'identity'>,
): Handler<typeof refsReadBatch> {
  return async ({ body: { refs }, caller }) => {
    if (refs.length > refsMax) throw badRequest('Too many refs');
    const roots = await findRoots(context.identity, caller, refs.map(readableRef));
    const ends = await runWalks(context, caller, roots);
    refuseMissing(ends, roots);
    const texts = ends.map(textOf);
    const toExternal = await externalRefs(context.identity, caller, texts);
    return { vals: texts.map((text) => new JsonText(toExternal(text))) };
  };
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
