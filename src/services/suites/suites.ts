import type { Transaction } from 'kysely';
import { newId, type ProjectId } from '../../contract/ids.ts';
import { parseRef } from '../../domain/refs.ts';
import type { Suite, SuitePurpose } from '../../domain/suites/suite.ts';
import { nameFault } from '../../identity/names.ts';
import type { Database } from '../../store/postgres/schema.ts';
import { addSuite, findSuite, listSuites } from '../../store/postgres/suites/suites.ts';
import { conflict, invalidInput, notFound } from '../../util/failures.ts';
import { isObject } from '../../util/json/own-member.ts';
import { parsePlain } from '../../util/json/parse.ts';
import type { Deps } from '../deps.ts';
import type { Objects } from '../objects/objects.ts';
import type { Owner } from '../owner.ts';
import type { Tables } from '../tables/tables.ts';
import type { TrainedDataDeps } from './trained-data.ts';
import { openWall, type Wall } from './wall.ts';

type NewSuite = {
  name: string;
  /** A ref, or `name` or `name:version` of a dataset of the project. */
  dataset: string;
  purpose: SuitePurpose;
  threadColumn: string | null;
  alpha: number;
};

/** Runs `Wall.scan` for a suite that has just been frozen. */
export type SuiteScanner = {
  enqueue(suite: { id: string; projectId: ProjectId }, transaction: Transaction<Database>): Promise<void>;
};

/** Datasets that models are tested on. */
export type Suites = Wall & {
  /**
   * Freezes a version of a dataset, and queues its comparison with what was trained before.
   * @throws Failure for a name that is taken, and a dataset that is not found, has no rows, or lacks the column
   */
  freeze(suite: NewSuite, owner: Owner): Promise<Suite>;
  /** By name. */
  list(owner: Owner): Promise<Suite[]>;
  /** @throws Failure notFound */
  read(name: string, owner: Owner): Promise<Suite>;
};

export function openSuites(
  deps: Pick<Deps, 'models'> & TrainedDataDeps & { objects: Objects; tables: Tables },
  scanner: SuiteScanner,
): Suites {
  const { postgres, identity, objects, tables } = deps;
  return {
    ...openWall(deps),

    async freeze({ name, dataset, purpose, threadColumn, alpha }, owner) {
      const fault = nameFault('suite', name);
      if (fault) throw invalidInput(fault);
      const { ref, table } = await readDataset(dataset, owner);
      const rowCount = await tables.count(table);
      if (rowCount === 0) throw invalidInput(`${ref} has no rows.`);
      if (threadColumn !== null) await requireColumn(threadColumn, { ref, table }, owner);
      const suite: Suite = {
        ...{ id: newId(), name, purpose, datasetRef: ref, table, rowCount, threadColumn, alpha },
        ...{ frozenBy: owner.caller.userId, frozenAt: new Date() },
        scan: { jobs: null, done: 0, unread: 0, endedAt: null, error: null },
      };
      const projectId = owner.project.id;
      const isAdded = await postgres.db.transaction().execute(async (transaction) => {
        if (!(await addSuite({ db: transaction }, projectId, suite))) return false;
        await scanner.enqueue({ id: suite.id, projectId }, transaction);
        return true;
      });
      if (!isAdded) {
        throw conflict(`${owner.project.name} has a suite ${name}. Suites never change: freeze one of another name.`);
      }
      return suite;
    },

    list: ({ project }) => listSuites(postgres, project.id),

    async read(name, { project }) {
      const found = await findSuite(postgres, project.id, name);
      if (found === null) throw notFound(`${project.name} has no suite ${name}.`);
      return found;
    },
  };

  async function readDataset(word: string, { project, caller }: Owner) {
    const uri = word.includes('://')
      ? word
      : `weave:///${project.name}/object/${word.includes(':') ? word : `${word}:latest`}`;
    const parsed = parseRef(uri);
    if (parsed?.kind !== 'object' || parsed.steps.length > 0)
      throw invalidInput(`${word} is not the name or ref of a dataset.`);
    const projectId = await identity.projectForRead(caller, `${parsed.entity}/${parsed.project}`);
    const key = { projectId, objectId: parsed.name, kind: 'object' as const };
    const found = await objects.find(key, parsed.digest, { caller, withValues: true });
    if (found === null || found.value === null) throw notFound(`There is no dataset ${word}.`);
    const value: unknown = parsePlain(found.value);
    const rows = isObject(value) && typeof value.rows === 'string' ? parseRef(value.rows) : null;
    if (rows?.kind !== 'table') throw invalidInput(`${word} is not a dataset: its rows are not the ref of a table.`);
    const tableProject = await identity.projectForRead(caller, `${rows.entity}/${rows.project}`);
    return {
      ref: `weave:///${parsed.entity}/${parsed.project}/object/${parsed.name}:${found.digest}`,
      table: { projectId: tableProject, digest: rows.digest },
    };
  }

  /** A row without the column would be in no thread. */
  async function requireColumn(
    column: string,
    { ref, table }: { ref: string; table: Suite['table'] },
    { caller }: Owner,
  ) {
    let index = 0;
    for await (const rows of tables.rows(table, caller)) {
      for (const { text } of rows) {
        const row: unknown = parsePlain(text);
        const value = isObject(row) ? row[column] : undefined;
        if (typeof value !== 'string' && typeof value !== 'number') {
          throw invalidInput(
            `Row ${index} of ${ref} has no text or number in the column ${column}, which names its thread.`,
          );
        }
        index++;
      }
    }
  }
}
