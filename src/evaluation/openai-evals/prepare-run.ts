import { rowsMax } from '../../domain/openai-evals/check-data-source.ts';
import { itemSchema } from '../../domain/openai-evals/row-schema.ts';
import type { RunObjects } from '../../domain/openai-evals/run-objects.ts';
import { objectIdOf } from '../../domain/resources/object-id.ts';
import type { OpenRun } from '../../services/evaluations/openai-evals/runs.ts';
import type { Services } from '../../services/services.ts';
import { invalidInput } from '../../util/failures.ts';
import { isObject, ownMember } from '../../util/json/own-member.ts';
import { parsePlain } from '../../util/json/parse.ts';
import type { Rules } from '../rules/rules.ts';

type Deps = { services: Pick<Services, 'objects' | 'tables'>; rules: Rules };

/** A part of the rows is stored when it has so many of them, or so many characters. */
const rowsAtOnce = 2000;
const charactersAtOnce = 8 * 1024 * 1024;

/**
 * Publishes what a run evaluates as objects of the project: a dataset of its rows, its criteria as scorers, its model, and
 * an evaluation of them. The same content is published once, so runs on the same rows are runs of one evaluation.
 * @param given the rows, as JSON texts
 * @throws Failure if the rows cannot be used
 */
export async function prepareRun(
  { services, rules }: Deps,
  { run, of, owner }: OpenRun,
  given: AsyncIterable<string>,
  signal: AbortSignal,
): Promise<RunObjects> {
  const { project, caller } = owner;
  const rows = await storeRows();
  const dataset = await publish(`${of.id}-data`, 'Dataset', { name: of.name, rows: tableRef(rows.table) });
  const keys = scorerKeys(of.criteria.map(({ name }) => name));
  const scorers: string[] = [];
  for (const [i, { id: _, pass_threshold = null, ...grader }] of of.criteria.entries()) {
    const fields = { name: keys[i], grader, pass_threshold };
    scorers.push(await publish(`${of.id}-${slugOf(keys[i]!, 'grader')}`, 'OpenAIGrader', fields, ['Scorer']));
  }
  const { source: _, ...sampling } = run.dataSource;
  const modelName = run.model || 'recorded-outputs';
  const model = await publish(`openai-eval-model-${slugOf(modelName, 'model')}`, 'OpenAIEvalModel', {
    name: modelName,
    ...sampling,
  });
  const evaluation = await publish(of.id, 'Evaluation', {
    name: of.name,
    dataset,
    scorers,
    trials: 1,
    evaluation_name: of.name,
  });
  return { dataset, table: rows.table, total: rows.total, evaluation, model, scorers };

  async function publish(objectId: string, className: string, fields: object, bases: string[] = []): Promise<string> {
    const ofClass = { _type: className, _class_name: className, _bases: [...bases, 'Object', 'BaseModel'] };
    const value = JSON.stringify({ ...ofClass, ...fields });
    const { digest } = await services.objects.publish({ projectId: project.id, objectId, value, caller });
    return `weave:///${project.name}/object/${objectId}:${digest}`;
  }

  function tableRef(digest: string): string {
    return `weave:///${project.name}/table/${digest}`;
  }

  /** Stores the rows in parts, so that memory does not grow with them. */
  async function storeRows(): Promise<{ table: string; total: number }> {
    const rowDigests: string[] = [];
    let part: string[] = [];
    let characters = 0;
    const store = async () => {
      signal.throwIfAborted();
      await checkPart(rowDigests.length);
      rowDigests.push(...(await services.tables.create({ projectId: project.id, rows: part, caller })).rowDigests);
      part = [];
      characters = 0;
    };
    const checkPart = async (before: number) => {
      const items = part.map((row, i) => itemOf(row, before + i));
      if (of.dataSourceConfig.type !== 'custom') return;
      const fault = await rules.firstFault(itemSchema(of.dataSourceConfig)!, items, { project: project.id, signal });
      if (fault) throw invalidRow(before + fault.index, fault.message);
    };
    for await (const row of given) {
      if (rowDigests.length + part.length === rowsMax) throw invalidInput(`A run has at most ${rowsMax} rows.`);
      part.push(row);
      characters += row.length;
      if (part.length >= rowsAtOnce || characters >= charactersAtOnce) await store();
    }
    if (part.length > 0) await store();
    if (rowDigests.length === 0) throw invalidInput('The data source of the run has no rows.');
    const { digest } = await services.tables.createFromDigests({ projectId: project.id, rowDigests });
    return { table: digest, total: rowDigests.length };
  }
}

/** The item of a row, as JSON text. @throws Failure if the row is not one of a data source */
function itemOf(row: string, index: number): string {
  let item: unknown;
  try {
    item = ownMember(parsePlain(row), 'item');
  } catch {
    throw invalidRow(index, 'it is not JSON');
  }
  if (!isObject(item)) throw invalidRow(index, 'it is not an object with an object in its member "item"');
  return JSON.stringify(item);
}

function invalidRow(index: number, reason: string) {
  return invalidInput(`Row ${index + 1} of the data is invalid: ${reason}.`);
}

/** Numbers names that repeat, so that each criterion has a key of its own. */
export function scorerKeys(names: string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let key = name || 'grader';
    for (let n = 2; taken.has(key); n++) key = `${name || 'grader'} ${n}`;
    taken.add(key);
    return key;
  });
}

const slugCharactersMax = 60;

function slugOf(name: string, otherwise: string): string {
  return [...objectIdOf(name)].slice(0, slugCharactersMax).join('') || otherwise;
}
