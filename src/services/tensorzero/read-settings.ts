import { LRUCache } from 'lru-cache';
import { settingsObject, type TensorZeroSettings, tensorZeroSettings } from '../../domain/tensorzero/settings.ts';
import { describeFaults } from '../../util/describe-faults.ts';
import { unacceptable } from '../../util/failures.ts';
import { growsTo } from '../../util/grows-to.ts';
import { parsePlain } from '../../util/json/parse.ts';
import type { Objects } from '../objects/objects.ts';
import type { Owner } from '../owner.ts';

export type SettingsReader = {
  /** The TensorZero settings of a project; null if it has none. @throws Failure if they are invalid */
  read(owner: Owner): Promise<TensorZeroSettings | null>;
};

const keptMax = 100;

export function openSettingsReader(objects: Objects): SettingsReader {
  /** By project and digest: a version never changes. */
  const kept = new LRUCache<string, TensorZeroSettings>(growsTo(keptMax));
  return {
    async read({ project, caller }) {
      const name = { projectId: project.id, objectId: settingsObject, kind: 'object' as const };
      const latest = await objects.find(name, 'latest', { caller, withValues: false });
      if (latest === null || latest.deletedAt !== null) return null;
      const key = `${project.id} ${latest.digest}`;
      const known = kept.get(key);
      if (known !== undefined) return known;
      const found = await objects.find(name, latest.digest, { caller, withValues: true });
      if (found?.value == null) return null;
      const { data, error } = tensorZeroSettings.safeParse(parsePlain(found.value));
      if (error)
        throw unacceptable(`The object ${settingsObject} of ${project.name} is invalid: ${describeFaults(error)}`);
      kept.set(key, data);
      return data;
    },
  };
}
