import type { ResourceKind } from '../contract/resources/resource.ts';
import { placeholderOp } from '../domain/objects/placeholder-op.ts';
import { checkPage, type Page } from '../domain/query/page.ts';
import { objectIdOf } from '../domain/resources/object-id.ts';
import {
  datasetValue,
  type EvaluationFields,
  evaluationValue,
  membersOf,
  modelValue,
  opValue,
  scorerValue,
  stringAt,
} from '../domain/resources/values.ts';
import { notFound } from '../util/failures.ts';
import type { JsonText } from '../util/json/json-text.ts';
import type { Files } from './files/files.ts';
import type { Objects } from './objects/objects.ts';
import type { StoredObject } from './objects/read-versions.ts';
import type { Owner, Project } from './owner.ts';
import type { Tables } from './tables/tables.ts';

/** A new version. `ref` is its address. */
export type Created = { digest: string; objectId: string; versionIndex: number; ref: string };

type Described = { name: string; description: string | null };
type Version = Omit<StoredObject, 'value'> & { value: string };

/** Ops, datasets, scorers, models and evaluations: objects of known classes, built from the client's fields. */
export type Resources = {
  /** Without a source, the op gets a placeholder. */
  createOp(op: { name: string | null; source: string | null }, owner: Owner): Promise<Created>;
  createDataset(
    dataset: { name: string | null; description: string | null; rows: string[] },
    owner: Owner,
  ): Promise<Created>;
  createScorer(scorer: Described & { source: string }, owner: Owner): Promise<Created>;
  createModel(model: Described & { source: string; attributes: JsonText | null }, owner: Owner): Promise<Created>;
  createEvaluation(evaluation: EvaluationFields & { attributes: JsonText | null }, owner: Owner): Promise<Created>;

  /** @throws Failure if there is no such version, with `deleted_at` if it was deleted */
  find(kind: ResourceKind, objectId: string, word: string, owner: Owner): Promise<Version>;
  /** Live versions in pages, oldest first. @throws Failure, before the first page, for an invalid page */
  list(kind: ResourceKind, page: Page, owner: Owner): AsyncIterable<Version[]>;
  /** @returns how many were deleted. @throws Failure; then none was */
  delete(kind: ResourceKind, objectId: string, digests: string[] | null, owner: Owner): Promise<number>;
  /** The code of a version of an op or a model; null if it has no code file, or the file has not arrived yet. */
  codeOf(version: Version): Promise<string | null>;
};

const classOf: Record<Exclude<ResourceKind, 'ops'>, string> = {
  datasets: 'Dataset',
  scorers: 'Scorer',
  models: 'Model',
  evaluations: 'Evaluation',
};

export function openResources({
  objects,
  tables,
  files,
}: {
  objects: Objects;
  tables: Tables;
  files: Files;
}): Resources {
  async function publish(objectId: string, value: string, { project, caller }: Owner): Promise<Created> {
    const { digest, versionIndex, kind } = await objects.publish({ projectId: project.id, objectId, value, caller });
    return { digest, objectId, versionIndex, ref: `weave:///${project.name}/${kind}/${objectId}:${digest}` };
  }

  async function storeCode(source: string | null, { project }: Owner): Promise<string> {
    const bytes = source === null ? placeholderOp.file.bytes : Buffer.from(source.toWellFormed());
    return (await files.store({ projectId: project.id, name: 'obj.py', bytes })).digest;
  }

  const publishOp = async (objectId: string, source: string | null, owner: Owner) =>
    publish(objectId, opValue(await storeCode(source, owner)), owner);

  return {
    createOp: ({ name, source }, owner) => publishOp(name === null ? 'Op' : objectIdOf(name), source, owner),

    async createDataset({ name, description, rows }, owner) {
      const { digest } = await tables.create({ projectId: owner.project.id, rows, caller: owner.caller });
      const rowsRef = `weave:///${owner.project.name}/table/${digest}`;
      const value = datasetValue({ name: name ?? 'Dataset', description, rowsRef });
      return publish(name === null ? 'Dataset' : objectIdOf(name), value, owner);
    },

    async createScorer({ name, description, source }, owner) {
      const objectId = objectIdOf(name);
      const score = await publishOp(`${objectId}_score`, source, owner);
      const summarize = await publishOp(`${objectId}_summarize`, null, owner);
      const ops = { score: score.digest, summarize: summarize.digest };
      return publish(objectId, scorerValue({ name, description, ...ops }), owner);
    },

    async createModel({ name, description, source, attributes }, owner) {
      const fileDigest = await storeCode(source, owner);
      return publish(objectIdOf(name), modelValue({ name, description, fileDigest }, attributes), owner);
    },

    async createEvaluation({ attributes, ...fields }, owner) {
      const objectId = objectIdOf(fields.name);
      const digestOf = async (op: string) => (await publishOp(`${objectId}.${op}`, null, owner)).digest;
      const ops = {
        evaluate: await digestOf('evaluate'),
        predict_and_score: await digestOf('predict_and_score'),
        summarize: await digestOf('summarize'),
      };
      return publish(objectId, evaluationValue(fields, ops, attributes), owner);
    },

    async find(kind, objectId, word, { project, caller }) {
      const name = { projectId: project.id, objectId, kind: objectKind(kind) };
      const version = await objects.find(name, word, { caller, withValues: true });
      const isOfKind = version !== null && (kind === 'ops' || version.baseClass === classOf[kind]);
      if (!isOfKind) throw notFound(`${labelOf(kind)} ${objectId}:${word} not found`);
      if (version.deletedAt === null) return version as Version;
      const deletedAt = version.deletedAt.toISOString();
      throw notFound(`${objectId}:v${version.versionIndex} was deleted at ${deletedAt}`, { deleted_at: deletedAt });
    },

    list: (kind, page, owner) => {
      checkPage(page, 'a positive integer');
      return pages(objects, kind, page, owner);
    },

    async delete(kind, objectId, digests, { project }) {
      const name = { projectId: project.id, objectId, kind: objectKind(kind) };
      return (await objects.delete(name, digests?.length ? digests : null)).length;
    },

    async codeOf({ projectId, value }) {
      const digest = stringAt(membersOf(membersOf(value).files ?? null), 'obj.py');
      return digest === null ? null : files.readText({ projectId: projectId as Project['id'], digest });
    },
  };
}

async function* pages(
  objects: Objects,
  kind: ResourceKind,
  { limit, offset }: Page,
  { project, caller }: Owner,
): AsyncGenerator<Version[]> {
  const filter = kind === 'ops' ? { kind: 'op' as const } : { kind: 'object' as const, baseClasses: [classOf[kind]] };
  let left = limit ?? Number.POSITIVE_INFINITY;
  for (let start = offset ?? 0; left > 0; start += versionsInPage) {
    const wanted = Math.min(left, versionsInPage);
    const query = { projectId: project.id, filter, sortBy: [], limit: wanted, offset: start };
    const found = await objects.list(query, { caller, withValues: true });
    yield found as Version[];
    left -= found.length;
    if (found.length < wanted) return;
  }
}

const versionsInPage = 200;

function objectKind(kind: ResourceKind): 'op' | 'object' {
  return kind === 'ops' ? 'op' : 'object';
}

function labelOf(kind: ResourceKind): string {
  return kind === 'ops' ? 'Op' : classOf[kind];
}
