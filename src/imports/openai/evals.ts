import type { ItemStatus } from '../../contract/openai-eval-items/item.ts';
import type { DataSource } from '../../contract/openai-eval-runs/data-source.ts';
import { graderFault } from '../../domain/graders/check-grader.ts';
import { schemaFault } from '../../domain/json-schema.ts';
import { itemSchema } from '../../domain/openai-evals/row-schema.ts';
import type { RunStatus } from '../../domain/openai-evals/run.ts';
import { type ImportedItem, importRunItems } from '../../evaluation/openai-evals/import-run.ts';
import type { ImportedRun } from '../../services/evaluations/openai-evals/imported.ts';
import { Failure, invalidInput } from '../../util/failures.ts';
import { isObject } from '../../util/json/own-member.ts';
import { toJson } from '../../util/json/write.ts';
import { type Definition, parseDataSource } from './definitions.ts';
import { sourceFileId } from './files.ts';
import type { Import } from './import.ts';
import { count } from './report.ts';
import type { Spool } from './spool.ts';

/** Names in the spool. */
export const rowsOf = (runId: string) => `rows ${runId}`;
export const itemsOf = (runId: string) => `items ${runId}`;

export async function importEval({ context, owner, report }: Import, given: Definition<'eval'>): Promise<void> {
  const { id, name, data_source_config: config, testing_criteria: criteria, metadata, created_at } = given;
  const schema = config.type === 'custom' ? itemSchemaOf(config) : null;
  const fault = schema && schemaFault(schema);
  if (fault) throw invalidInput(`The schema of the eval ${id} is not a JSON Schema: ${fault}.`);
  for (const criterion of criteria) {
    const graderProblem = graderFault(criterion);
    if (graderProblem) report.notes.push(`${id}: new runs fail at "${criterion.name}". ${graderProblem.message}`);
  }
  const added = {
    ...{ id, name: name || 'Untitled eval', dataSourceConfig: config, criteria },
    ...{ metadata: metadata ?? {}, createdAt: dateOf(created_at) },
  };
  count(report.evals, await context.services.openaiEvals.imported.addEval(added, owner));
}

function itemSchemaOf(config: Definition<'eval'>['data_source_config']): Record<string, unknown> {
  const properties = config.schema.properties;
  if (isObject(properties) && isObject(properties.item)) return itemSchema(config)!;
  throw invalidInput('The schema of the eval has no property item.');
}

export async function importRun(work: Import, given: Definition<'eval.run'>, spool: Spool): Promise<void> {
  const { context, owner, report } = work;
  const { id, eval_id: evalId, model, name, metadata, created_at } = given;
  await context.services.openaiEvals.find(evalId, owner);
  const { status, error } = endOf(given);
  const run: ImportedRun = {
    ...{ id, evalId, name: name || id, model: model ?? '', metadata: metadata ?? {} },
    ...{ dataSource: await dataSourceOf(work, given), status, error },
    createdAt: dateOf(created_at),
    results: {
      result_counts: given.result_counts,
      per_model_usage: given.per_model_usage ?? [],
      per_testing_criteria_results: given.per_testing_criteria_results ?? [],
    },
  };
  const rows = spool.has(rowsOf(id)) ? spool.read(rowsOf(id)) : spool.read(itemsOf(id));
  count(report.runs, await context.services.openaiEvals.imported.addRun(run, asRows(rows), owner));
  if (spool.has(itemsOf(id))) await importItems(work, { id, evalId }, spool);
}

/** Imports the items of a run that is imported already. */
export async function importItems(
  { context, owner, report, signal }: Import,
  { id, evalId }: { id: string; evalId: string },
  spool: Spool,
): Promise<void> {
  const of = await context.services.openaiEvals.find(evalId, owner);
  const run = await context.services.openaiEvals.runs.find(evalId, id, owner);
  const items = () => readItems(spool, id);
  const { added, known } = await importRunItems(context, { of, run, items }, owner, signal);
  report.items.added += added;
  report.items.known += known;
}

/** Each item once, in the order of the files. */
async function* readItems(spool: Spool, runId: string): AsyncGenerator<ImportedItem> {
  const seen = new Set<string>();
  for await (const value of spool.read(itemsOf(runId))) {
    const item = value as Definition<'eval.run.output_item'>; // as it was parsed
    if (seen.has(item.id)) continue;
    seen.add(item.id);
    yield asItem(item);
  }
}

function asItem({ id, status, datasource_item, results, sample, created_at }: Definition<'eval.run.output_item'>) {
  const { model, error, usage, ...shown } = sample ?? {};
  const counted = isObject(usage) && model ? { [model]: { requests: 1, ...usage } } : {};
  return {
    id,
    status: status satisfies ItemStatus,
    results: results.map((each) => ({ ...each, type: each.type ?? null, sample: each.sample ?? null })),
    item: datasource_item,
    output: textOf(shown.output),
    sample: { ...shown, ...(isObject(usage) ? { usage } : {}), model: model ?? '', error: errorOf(error) },
    usage: counted,
    createdAt: dateOf(created_at).getTime() * 1000,
  };
}

/** The text of the last message of an output. */
function textOf(output: unknown): string | null {
  const last = Array.isArray(output) ? output.findLast((message) => isObject(message)) : null;
  return isObject(last) && typeof last.content === 'string' ? last.content : null;
}

async function* asRows(values: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const value of values) {
    if (!isObject(value)) continue;
    const { item, datasource_item, sample } = value;
    yield toJson(item === undefined ? { item: datasource_item } : { item, ...(sample ? { sample } : {}) });
  }
}

async function dataSourceOf(work: Import, { data_source: given }: Definition<'eval.run'>): Promise<DataSource> {
  const parsed = parseDataSource(given);
  const { source } = parsed;
  if (source.type !== 'file_id') return parsed;
  const found = await sourceFileId(work, source.id);
  return { ...parsed, source: { ...source, id: found ?? source.id } } as DataSource; // of the same kind
}

/** A run that had not ended does not continue here. */
function endOf({ id, status, error }: Definition<'eval.run'>): Pick<ImportedRun, 'status' | 'error'> {
  if (status === 'queued' || status === 'in_progress') {
    const message = `The run ${id} had not ended when it was exported.`;
    return { status: 'failed', error: { code: 'not_finished', message } };
  }
  return { status: status satisfies RunStatus, error: errorOf(error) };
}

function errorOf(error: { code?: string | null | undefined; message?: string | null | undefined } | null | undefined) {
  return error?.message ? { code: error.code ?? 'error', message: error.message } : null;
}

function dateOf(seconds: number): Date {
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) throw new Failure('invalidInput', `${seconds} is not a time.`);
  return date;
}
