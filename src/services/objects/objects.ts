import type { ProjectId } from '../../contract/ids.ts';
import { describeCollision } from '../../domain/objects/class-collision.ts';
import { checkObjectName } from '../../domain/objects/names.ts';
import type { Caller } from '../../identity/identity.ts';
import { classOfName } from '../../store/postgres/objects/class-of-name.ts';
import { deleteVersions } from '../../store/postgres/objects/delete-versions.ts';
import { findVersion } from '../../store/postgres/objects/find-version.ts';
import { queryVersions, type VersionQuery } from '../../store/postgres/objects/query-versions.ts';
import type { ObjectVersion } from '../../store/postgres/objects/version.ts';
import { conflict, invalidInput, notFound } from '../../util/failures.ts';
import { isLarge } from '../../util/large-text.ts';
import { pythonRepr } from '../../util/python-repr.ts';
import type { Deps } from '../deps.ts';
import { workOn } from '../large/large.ts';
import { work } from '../large/work.ts';
import { resolveProjects } from '../refs/convert-refs.ts';
import { checkProviderAddress } from './check-provider.ts';
import { publishWithValue } from './publish.ts';
import { type ReadOptions, readVersions, type StoredObject } from './read-versions.ts';

type Publication = {
  projectId: ProjectId;
  objectId: string;
  /** JSON text, with refs as clients write them. */
  value: string;
  /** A class of `domain/objects/builtin`: its value is validated and completed. */
  builtinClass?: string | null;
  /** The digest that the publisher computed. If it differs, nothing is published. */
  expectedDigest?: string | null;
  /** The digest that `latest` must have when the version is published. */
  expectedLatest?: string | null;
  /** The publisher of the version; refs to projects that the caller cannot read stay text. */
  caller: Caller;
};

type Published = { digest: string; versionIndex: number; kind: 'object' | 'op' };

/** With `kind`, only versions of that kind: an op and an object may share a name. */
type Name = { projectId: ProjectId; objectId: string; kind?: 'object' | 'op' };

/** Operations on the objects and ops of a project. */
export type Objects = {
  /**
   * Publishes a version and makes it `latest`. Publishing the same content again makes no new version.
   * @throws ValidationError with paths below `val`, if the value breaks the rules of its builtin class
   * @throws Failure for an invalid value, class, digest or name
   */
  publish(publication: Publication): Promise<Published>;
  /**
   * The version that a name refers to: a digest, `latest`, `v3` or an alias. Null if there never was one; a deleted
   * version has no value.
   */
  find(name: Name, word: string, options: ReadOptions): Promise<StoredObject | null>;
  /** Live versions, by default oldest first. */
  list(query: VersionQuery & { projectId: ProjectId }, options: ReadOptions): Promise<StoredObject[]>;
  /**
   * Deletes live versions, named by digest, index or `latest`; `null` means all.
   * @throws Failure for more than 100, or if one of them is not found; then nothing is deleted
   */
  delete(name: Name, words: string[] | null): Promise<ObjectVersion[]>;
};

export function openObjects(
  deps: Pick<Deps, 'clickhouse' | 'postgres' | 'inserter' | 'identity'>,
  { providerHosts }: { providerHosts: string },
): Objects {
  return {
    async publish(publication) {
      if (publication.builtinClass === 'Provider') checkProviderAddress(publication.value, providerHosts);
      return publish(deps, publication);
    },
    async find(name, word, options) {
      const version = await findVersion(deps.postgres, name, word);
      if (version === null) return null;
      if (version.deletedAt !== null) return { ...version, value: null, labels: null };
      const [found] = await readVersions(deps, [version], options);
      return found!;
    },
    async list(query, options) {
      return readVersions(deps, await queryVersions(deps.postgres, query), options);
    },
    delete: (name, words) => deleteFound(deps, name, words),
  };
}

async function publish(
  deps: Pick<Deps, 'postgres' | 'inserter' | 'identity'>,
  {
    projectId,
    objectId,
    value,
    builtinClass = null,
    expectedDigest = null,
    expectedLatest = null,
    caller,
  }: Publication,
): Promise<Published> {
  const projects = await resolveProjects(deps.identity, caller, [value]);
  const incoming = isLarge(value)
    ? await workOn('object', value, projects, builtinClass)
    : work.object(value, projects, builtinClass);
  const { digest, text, kind, classes } = incoming;
  if (expectedDigest !== null && expectedDigest !== digest) {
    throw conflict(`Client obj ${pythonRepr(objectId)} digest ${expectedDigest} != server digest ${digest}`);
  }
  const refuseOtherClass = (other: string | null | undefined) => {
    if (other === undefined || other === classes.base) return;
    throw invalidInput(describeCollision(objectId, incoming, other));
  };
  const name = { projectId, kind, objectId };
  refuseOtherClass(await classOfName(deps.postgres.db, name));
  checkObjectName(objectId);
  const ofClasses = { baseClass: classes.base, leafClass: classes.leaf };
  const version = { ...name, ...ofClasses, digest, expectedLatest, sizeBytes: text.length, userId: caller.userId };
  const outcome = await publishWithValue(deps, version, text);
  if ('versionIndex' in outcome) return { digest, kind, versionIndex: outcome.versionIndex };
  if ('otherLatest' in outcome) {
    throw conflict(
      `The latest version of ${pythonRepr(objectId)} is ${outcome.otherLatest ?? 'deleted'}, not ${expectedLatest}. ` +
        'Read it and apply your changes to it.',
    );
  }
  refuseOtherClass(outcome.otherClass);
  throw new Error(`${objectId} was not published, though its class is that of its other versions`);
}

const deletedMax = 100;

async function deleteFound({ postgres }: Pick<Deps, 'postgres'>, name: Name, words: string[] | null) {
  if (words !== null && words.length > deletedMax) {
    throw invalidInput(
      `Object delete request contains ${words.length} objects. ` +
        `Please delete ${deletedMax} or fewer objects at a time.`,
    );
  }
  const { found, isDeleted } = await deleteVersions(postgres, name, words);
  const shown = words === null ? 'all versions' : words.join(', ');
  if (found.length === 0) throw notFound(`Object ${name.objectId} (${shown}) not found when deleting.`);
  if (isDeleted) return found;
  throw notFound(
    `Delete request contains ${new Set(words).size} objects, but found ${found.length} to delete (${shown}).`,
  );
}
