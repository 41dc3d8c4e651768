import type { ProjectId } from '../contract/ids.ts';
import { checkAliases, checkTags } from '../domain/objects/label-names.ts';
import { addTags } from '../store/postgres/labels/add-tags.ts';
import { listAliases, listTags } from '../store/postgres/labels/list-labels.ts';
import { removeAliases, removeTags } from '../store/postgres/labels/remove-labels.ts';
import { setAliases } from '../store/postgres/labels/set-aliases.ts';
import { type Failure, notFound } from '../util/failures.ts';
import type { Deps } from './deps.ts';

type ObjectKey = { projectId: ProjectId; objectId: string };
/** A version by its digest. */
type VersionKey = ObjectKey & { digest: string };

/** Operations on the aliases and tags of object versions. */
export type Labels = {
  /** Every alias in use, sorted. */
  listAliases(projectId: ProjectId): Promise<string[]>;
  /** Every tag in use, sorted. */
  listTags(projectId: ProjectId): Promise<string[]>;
  /** Moves aliases to a version. @throws Failure for an invalid alias, and if there is no such live version */
  setAliases(version: VersionKey, aliases: string[]): Promise<void>;
  /** Aliases that do not exist are ignored. @throws Failure for an invalid alias, such as `latest` */
  removeAliases(object: ObjectKey, aliases: string[]): Promise<void>;
  /** @throws Failure for an invalid tag, and if there is no such live version */
  addTags(version: VersionKey, tags: string[]): Promise<void>;
  /** Tags that do not exist are ignored. */
  removeTags(version: VersionKey, tags: string[]): Promise<void>;
};

export function openLabels({ postgres }: Pick<Deps, 'postgres'>): Labels {
  return {
    listAliases: (projectId) => listAliases(postgres, projectId),
    listTags: (projectId) => listTags(postgres, projectId),

    async setAliases(version, aliases) {
      checkAliases(aliases);
      if (!(await setAliases(postgres, version, aliases))) throw noSuchVersion(version);
    },

    async removeAliases(object, aliases) {
      checkAliases(aliases); // so that `latest` cannot be removed
      await removeAliases(postgres, object, aliases);
    },

    async addTags(version, tags) {
      checkTags(tags);
      if (!(await addTags(postgres, version, tags))) throw noSuchVersion(version);
    },

    removeTags: (version, tags) => removeTags(postgres, version, tags),
  };
}

function noSuchVersion({ objectId, digest }: VersionKey): Failure {
  return notFound(`Object version ${objectId}:${digest} not found`);
}
