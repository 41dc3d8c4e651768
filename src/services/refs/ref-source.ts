import type { ProjectId } from '../../contract/ids.ts';
import type { WalkNeed } from '../../domain/objects/walk-ref.ts';
import type { Caller } from '../../identity/identity.ts';
import { readObjectValues } from '../../store/clickhouse/object-values.ts';
import { findPositions } from '../../store/clickhouse/tables/find-positions.ts';
import { readRowTexts } from '../../store/clickhouse/tables/read-rows.ts';
import { findVersionsByDigest } from '../../store/postgres/objects/find-versions-by-digest.ts';
import { type LosslessJson, parseLossless } from '../../util/json/lossless.ts';
import type { Deps } from '../deps.ts';
import { resolveProjects } from './convert-refs.ts';
import { toStoredRefs } from './named-projects.ts';

/** The objects and table rows of a project that walks need. */
export type RefSource = {
  /** Reads everything that is needed together. */
  load(needs: WalkNeed[]): Promise<void>;
  /** The loaded value: null if it was deleted, undefined if it never existed. */
  get(need: WalkNeed): LosslessJson | undefined;
};

export function openRefSource(
  { clickhouse, postgres, identity }: Pick<Deps, 'clickhouse' | 'postgres' | 'identity'>,
  caller: Caller,
  projectId: ProjectId,
): RefSource {
  const values = new Map<string, LosslessJson>();

  async function loadObjects(needs: WalkNeed[]): Promise<void> {
    const wanted = needs.filter((need) => need.kind === 'object');
    const versions = await findVersionsByDigest(postgres, projectId, wanted);
    const live = versions.filter((version) => !version.isDeleted);
    const texts = await readObjectValues(
      clickhouse,
      projectId,
      live.map(({ digest }) => digest),
    );
    for (const version of versions) {
      const text = version.isDeleted ? 'null' : texts.get(version.digest);
      if (text === undefined) throw new Error(`A version has no value (digest ${version.digest}).`);
      values.set(keyOf({ kind: 'object', ...version }), parseLossless(text));
    }
  }

  /** A row counts only if its table lists it. */
  async function loadRows(table: string, digests: string[]): Promise<void> {
    const all = { order: [], offset: 0, limit: rowsMax };
    const listed = await findPositions(clickhouse, { projectId, digest: table, rowDigests: digests, ...all });
    const texts = await readRowTexts(clickhouse, projectId, new Set(listed.map(({ digest }) => digest)));
    const projects = await resolveProjects(identity, caller, texts.values()); // rows are stored as they were sent
    for (const [digest, text] of texts) {
      values.set(keyOf({ kind: 'row', table, digest }), parseLossless(toStoredRefs(text, projects)));
    }
  }

  return {
    async load(needs) {
      const unknown = needs.filter((need) => !values.has(keyOf(need)));
      await loadObjects(unknown);
      const rows = unknown.filter((need) => need.kind === 'row');
      for (const [table, ofTable] of Map.groupBy(rows, (need) => need.table)) {
        await loadRows(table, [...new Set(ofTable.map(({ digest }) => digest))]);
      }
    },
    get: (need) => values.get(keyOf(need)),
  };
}

/** A table may list a row many times; a batch of refs requests at most a thousand rows. */
const rowsMax = 1_000_000;

function keyOf(need: WalkNeed): string {
  return need.kind === 'object' ? `${need.objectId}:${need.digest}` : `${need.table}/${need.digest}`;
}
