import { objectIdOf } from '../../domain/resources/object-id.ts';
import { isRefusal } from '../../util/failures.ts';
import { toJson } from '../../util/json/write.ts';
import { booleanIn, idIn, jsonIn, mapIn, requiredText, textIn } from './columns.ts';
import type { Import, TableRow } from './import.ts';
import { assistantMessage, jsonMessage, storedInput } from './messages.ts';
import { countsOf, refuse } from './report.ts';
import type { Demonstrations } from './write-feedback.ts';

type Datapoint = { row: TableRow; updatedAt: string; isGone: boolean; text: string };

/** Rows of datasets, by the names of the datasets and the ids of the rows: the newest state of each. */
export type Datapoints = Map<string, Map<string, Datapoint>>;

/** Keeps the rows of datapoints until all are read. */
export async function keepDatapoints({ report, render }: Import, rows: TableRow[], kept: Datapoints): Promise<void> {
  for (const row of rows) {
    const { columns, table, place } = row;
    const counts = countsOf(report, table);
    counts.rows++;
    try {
      const dataset = requiredText(columns, 'dataset_name');
      const id = idIn(columns, 'id');
      const point: Datapoint = {
        row,
        updatedAt: textIn(columns, 'updated_at') ?? '',
        isGone: textIn(columns, 'staled_at') !== null || booleanIn(columns, 'is_deleted'),
        text: await textOf(row, id, render),
      };
      const ofDataset = kept.get(dataset) ?? new Map<string, Datapoint>();
      kept.set(dataset, ofDataset);
      const before = ofDataset.get(id);
      if (before !== undefined) counts.outdated++;
      if (before === undefined || before.updatedAt <= point.updatedAt) ofDataset.set(id, point);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      refuse(report, `${place}: ${error.message}`, table);
    }
  }
}

/** What evaluations need: the messages and the expected answer, beside what TensorZero had. */
async function textOf({ columns, table }: TableRow, id: string, render: Import['render']): Promise<string> {
  const functionName = requiredText(columns, 'function_name');
  const input = jsonIn(columns, 'input');
  const output = jsonIn(columns, 'output');
  const isJson = table === 'JsonInferenceDatapoint';
  const answer = output === null ? null : isJson ? jsonMessage(output) : assistantMessage(output);
  const messages = await render({ functionName, variantName: '', input: storedInput(input) });
  return toJson({
    ...{ id, function_name: functionName, name: textIn(columns, 'name'), messages, expected: answer?.content ?? null },
    ...{ input, output, tags: mapIn(columns, 'tags') },
    ...(isJson ? { output_schema: jsonIn(columns, 'output_schema') } : {}),
    source_inference_id: textIn(columns, 'source_inference_id'),
  });
}

/** Publishes a dataset for each of TensorZero's, and one of demonstrations for each function. */
export async function writeDatasets(work: Import, points: Datapoints, demonstrations: Demonstrations): Promise<void> {
  const { report } = work;
  for (const [name, ofDataset] of points) {
    const all = [...ofDataset.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, point]) => point);
    const live = all.filter(({ isGone }) => !isGone);
    for (const { row } of all.filter(({ isGone }) => isGone)) countsOf(report, row.table).outdated++;
    const outcome =
      live.length === 0
        ? null
        : await publish(
            work,
            name,
            live.map(({ text }) => text),
          );
    if (outcome === null) continue;
    for (const { row } of live) {
      if ('refused' in outcome) {
        refuse(report, `${row.place}: ${outcome.refused}`, row.table);
        continue;
      }
      countsOf(report, row.table)[outcome.isNew ? 'added' : 'known']++;
      countsOf(report, row.table).stored++;
    }
  }
  for (const [name, rows] of demonstrations) {
    const sorted = [...rows.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
    const outcome = await publish(work, `${name}-demonstrations`, sorted);
    if ('refused' in outcome) refuse(report, `the demonstrations of ${name}: ${outcome.refused}`);
  }
}

type Outcome = { isNew: boolean } | { refused: string };

async function publish({ services, owner, report }: Import, name: string, rows: string[]): Promise<Outcome> {
  try {
    const of = { projectId: owner.project.id, objectId: objectIdOf(name), kind: 'object' as const };
    const before = await services.objects.find(of, 'latest', { caller: owner.caller, withValues: false });
    const created = await services.resources.createDataset(
      { name, description: 'imported from TensorZero', rows },
      owner,
    );
    report.datasets.push({ name: created.objectId, rows: rows.length, version: created.versionIndex });
    return { isNew: before === null || before.digest !== created.digest };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return { refused: error.message };
  }
}
