import { parseRef } from '../../domain/refs.ts';
import type { Caller } from '../../identity/identity.ts';
import { stringifyLossless } from '../../util/json/lossless.ts';
import type { Deps } from '../deps.ts';
import { externalRefs } from './convert-refs.ts';
import { type RefRoot, runWalks } from './run-walks.ts';

/**
 * The values (JSON text) behind refs to objects and ops, for responses that show them in place. Leaves out refs that
 * are unknown, deleted, unreadable or of another kind.
 */
export async function resolveRefs(
  context: Pick<Deps, 'clickhouse' | 'postgres' | 'identity'>,
  caller: Caller,
  refs: string[],
): Promise<Map<string, string>> {
  const found: { uri: string; root: RefRoot }[] = [];
  for (const uri of new Set(refs)) {
    const ref = parseRef(uri);
    if (ref?.kind !== 'object' && ref?.kind !== 'op') continue;
    const projectId = await context.identity.readableProject(caller, `${ref.entity}/${ref.project}`);
    if (projectId === null) continue;
    found.push({ uri, root: { projectId, objectId: ref.name, digest: ref.digest, steps: ref.steps } });
  }
  const values = new Map<string, string>();
  for (let i = 0; i < found.length; i += refsPerRead) {
    const batch = found.slice(i, i + refsPerRead);
    const ends = await runWalks(
      context,
      caller,
      batch.map(({ root }) => root),
    );
    ends.forEach((end, j) => {
      if (end.kind === 'value' && end.value !== null) values.set(batch[j]!.uri, stringifyLossless(end.value));
    });
  }
  const toExternal = await externalRefs(context.identity, caller, values.values());
  for (const [uri, text] of values) values.set(uri, toExternal(text));
  return values;
}

const refsPerRead = 1000;
