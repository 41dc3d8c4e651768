import { expect } from 'vitest';
import { newId } from '../../../../contract/ids.ts';
import { addItems } from '../../annotation-queues/add-items.ts';
import { createQueue } from '../../annotation-queues/create-queue.ts';
import { updateProgress } from '../../annotation-queues/update-progress.ts';
import { saveModel } from '../../models/save-model.ts';
import { deleteVersions } from '../../objects/delete-versions.ts';
import { publishNewOps } from '../../objects/publish-new-ops.ts';
import { publishVersion } from '../../objects/publish-version.ts';
import { addPrices, type PriceToAdd } from '../../prices/add-prices.ts';
import { linkVersion } from '../../registry/link-version.ts';
import { type Cases, each, type Start, writers } from './case.ts';

export const objectCases: Cases = {
  async 'store/postgres/objects/publish-version.ts publishVersion'({ postgres, projectId }) {
    const published = await each((index) => publishVersion(postgres, versionOf(projectId, `d${index}`)));
    expect(published.flatMap((each) => ('versionIndex' in each ? each.versionIndex : [])).toSorted()).toEqual(writers);
    const expectedLatest = (await latestOf({ postgres, projectId }))!;
    const followed = await each((index) =>
      publishVersion(postgres, { ...versionOf(projectId, `e${index}`), expectedLatest }),
    );
    expect(followed.filter((each) => 'versionIndex' in each)).toHaveLength(1);
  },

  async 'store/postgres/objects/publish-new-ops.ts publishNewOps'({ postgres, projectId }) {
    const objectIds = ['x', 'y', 'z'];
    await each((index) =>
      publishNewOps(postgres, {
        ...{ projectId, digest: 'd', sizeBytes: 1, userId: 'u' },
        objectIds: index % 2 === 0 ? objectIds : objectIds.toReversed(),
      }),
    );
    const stored = await postgres.db
      .selectFrom('object_versions')
      .select('object_id')
      .where('project_id', '=', projectId)
      .execute();
    expect(stored.map(({ object_id }) => object_id).toSorted()).toEqual(objectIds);
  },

  /** One that is published meanwhile is the latest. */
  async 'store/postgres/objects/delete-versions.ts deleteVersions'({ postgres, projectId }) {
    await publishVersion(postgres, versionOf(projectId, 'first'));
    const name = { projectId, objectId: 'o', kind: 'object' as const };
    const [, ...deletions] = await Promise.all([
      publishVersion(postgres, versionOf(projectId, 'second')),
      ...writers.map(() => deleteVersions(postgres, name, ['first'])),
    ]);
    expect(deletions.filter(({ isDeleted }) => isDeleted)).toHaveLength(1);
    expect(await latestOf({ postgres, projectId })).toBe('second');
  },

  async 'store/postgres/registry/link-version.ts linkVersion'({ postgres, projectId }) {
    await each((index) => publishVersion(postgres, versionOf(projectId, `d${index}`)));
    const link = (digest: string) =>
      linkVersion(postgres, {
        collection: { entityId: 'e', registry: 'r', name: projectId },
        version: { projectId, objectId: 'o', digest },
        ...{ userId: 'u', aliases: ['best'] },
      });
    const different = await each((index) => link(`d${index}`));
    expect(different.toSorted()).toEqual(writers);
    expect(new Set(await each(() => link('d3')))).toEqual(new Set([different[3]]));
  },

  async 'store/postgres/prices/add-prices.ts addPrices'({ postgres, projectId }) {
    const added = await each((index) => addPrices(postgres, projectId, [priceOf(index)], 3));
    expect(added.filter(Boolean)).toHaveLength(3);
  },

  async 'store/postgres/models/save-model.ts saveModel'({ postgres, projectId }) {
    const newRow = () => ({
      ...{ name: projectId, source_kind: 'local' as const, source: 's', family: 'f', architecture: 'a' },
      ...{ id: newId(), weight_type: 'f32', parameters: 1, context_length: 1, size_bytes: 1 },
    });
    for (const _newThenKnown of [1, 2]) {
      const before = await modelsOf({ postgres, projectId });
      const rows = writers.map(newRow);
      const replaced = await each((index) => saveModel(postgres, rows[index]!));
      const [left, ...others] = await modelsOf({ postgres, projectId });
      expect(others).toEqual([]);
      // Each that was there is reported once, so that its files are deleted.
      const reported = [...replaced.filter((id) => id !== null), left!];
      expect(reported.toSorted()).toEqual([...before, ...rows.map(({ id }) => id)].toSorted());
    }
  },

  async 'store/postgres/annotation-queues/add-items.ts addItems'({ postgres, projectId }) {
    const added = await each(() => addThree({ postgres, projectId }, projectId));
    expect(added.reduce((sum, found) => sum + (found?.added ?? 0), 0)).toBe(callIds.length);
  },

  async 'store/postgres/annotation-queues/update-progress.ts updateProgress'({ postgres, projectId }) {
    const queue = { projectId, queueId: projectId };
    await addThree({ postgres, projectId }, projectId);
    const { id: itemId } = await postgres.db
      .selectFrom('annotation_queue_items')
      .select('id')
      .where('queue_id', '=', projectId)
      .limit(1)
      .executeTakeFirstOrThrow();
    await each((index) =>
      updateProgress(postgres, { queue, itemId, annotatorId: `u${index >> 1}`, state: 'completed' }),
    );
    const states = await postgres.db
      .selectFrom('annotation_progress')
      .select('annotator_id')
      .where('item_id', '=', itemId)
      .execute();
    expect(states).toHaveLength(writers.length / 2);
  },
};

const versionOf = (projectId: string, digest: string) => ({
  ...{ projectId, kind: 'object' as const, objectId: 'o', digest, baseClass: null, leafClass: null },
  ...{ sizeBytes: 1, userId: 'u' },
});

async function latestOf({ postgres, projectId }: Start): Promise<string | null> {
  const found = await postgres.db
    .selectFrom('object_aliases')
    .select('digest')
    .where('project_id', '=', projectId)
    .where('object_id', '=', 'o')
    .where('alias', '=', 'latest')
    .executeTakeFirst();
  return found?.digest ?? null;
}

async function modelsOf({ postgres, projectId }: Start): Promise<string[]> {
  const rows = await postgres.db.selectFrom('models').select('id').where('name', '=', projectId).execute();
  return rows.map(({ id }) => id);
}

function priceOf(index: number): PriceToAdd {
  return {
    ...{ id: newId(), llmId: `m${index}`, providerId: 'x', effectiveDate: 0, prompt: 1, completion: 1 },
    ...{ level: 'project', cacheRead: 0, cacheCreation: 0, promptUnit: 'USD', completionUnit: 'USD' },
    createdBy: 'u',
  };
}

const callIds = ['a', 'b', 'c'];

async function addThree({ postgres, projectId }: Start, queueId: string) {
  const rest = { name: 'q', description: '', scorerRefs: [], createdBy: 'u' };
  await createQueue(postgres, projectId, { id: queueId, ...rest }).catch(() => {}); // one of several is first
  const snapshots = new Map(callIds.map((id) => [id, { id, startedAt: 1, endedAt: 2, opName: 'op', traceId: 't' }]));
  return addItems(postgres, { projectId, queueId }, { callIds, snapshots, displayFields: [], addedBy: 'u' });
}
