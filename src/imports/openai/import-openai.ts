import { basename } from 'node:path';
import { z } from 'zod';
import { Failure } from '../../util/failures.ts';
import { isObject, ownMember } from '../../util/json/own-member.ts';
import { ownerOfImport } from '../owner-of-import.ts';
import type { Watch } from '../watch.ts';
import type { Definition } from './definitions.ts';
import { importEval, importItems, importRun, itemsOf, rowsOf } from './evals.ts';
import { importData } from './files.ts';
import type { Import, ImportContext } from './import.ts';
import { importJob } from './jobs.ts';
import { type AnyDefinition, definitionsOf, kindOfFile, type Located } from './records.ts';
import { newReport, type Report, refuseIn } from './report.ts';
import { Spool } from './spool.ts';

export const importOpenAIParams = z.object({
  paths: z.array(z.string()).min(1),
  project: z.string().optional(),
  /** A served model to start the fine-tuning jobs on. */
  model: z.string().optional(),
});

/** Rows and items are in the spool, the rest in memory. */
type Found = {
  evals: Located<Definition<'eval'>>[];
  runs: Located<Definition<'eval.run'>>[];
  /** The evals of the runs whose items there are, by the ids of the runs. */
  itemsOf: Map<string, { evalId: string; place: string }>;
  jobs: Located<Definition<'fine_tuning.job'>>[];
  files: Definition<'file'>[];
  /** Paths of files to train on or to evaluate. */
  data: string[];
};

/**
 * Imports what was exported from OpenAI, in an order in which each record finds what it refers to. What is imported already
 * stays as it is.
 */
export async function importOpenAI(
  context: ImportContext,
  { paths, project, model }: z.output<typeof importOpenAIParams>,
  watch: Watch,
): Promise<Report & { project: string }> {
  const owner = await ownerOfImport(context.identity, project ?? 'openai');
  const report = newReport();
  const work: Import = { context, owner, report, refuse: refuseIn(report), signal: watch.signal };
  const spool = new Spool();
  try {
    const found = await readAll(work, paths, { spool, watch });
    for (const path of found.data) await settle(work, null, () => importData(work, path, found.files));
    for (const { place, value } of found.evals) await settle(work, place, () => importEval(work, value));
    for (const { place, value } of found.runs) {
      found.itemsOf.delete(value.id);
      await settle(work, place, () => importRun(work, value, spool));
    }
    for (const [id, { place, evalId }] of found.itemsOf) {
      await settle(work, place, () => importItems(work, { id, evalId }, spool));
    }
    for (const job of found.jobs) await settle(work, job.place, () => importJob(work, job, model ?? null));
  } finally {
    spool.delete();
  }
  return { ...report, project: owner.project.name };
}

async function readAll(
  work: Import,
  paths: string[],
  { spool, watch }: { spool: Spool; watch: Watch },
): Promise<Found> {
  const found: Found = { evals: [], runs: [], itemsOf: new Map(), jobs: [], files: [], data: [] };
  for (const path of paths) {
    watch.report({ step: 'reading', file: basename(path) });
    await settle(work, null, async () => {
      if ((await kindOfFile(path)) === 'data') found.data.push(path);
      else for await (const each of definitionsOf(path, work.refuse)) keep(found, each, spool);
    });
  }
  return found;
}

function keep(found: Found, each: AnyDefinition, spool: Spool): void {
  const { place } = each;
  switch (each.kind) {
    case 'eval':
      found.evals.push(each);
      break;
    case 'eval.run': {
      const { id, data_source: of } = each.value;
      for (const row of sentRows(each.sent())) spool.add(rowsOf(id), row);
      if (of.source.content) of.source.content = [];
      found.runs.push(each);
      break;
    }
    case 'eval.run.output_item':
      spool.add(itemsOf(each.value.run_id), sentItem(each));
      found.itemsOf.set(each.value.run_id, { place, evalId: each.value.eval_id });
      break;
    case 'fine_tuning.job':
      found.jobs.push(each);
      break;
    case 'file':
      found.files.push(each.value);
      break;
    default:
      each satisfies never;
  }
}

/** The item with what heddle only shows as it was sent; scores and counts of tokens stay numbers. */
function sentItem({ value, sent }: Located<Definition<'eval.run.output_item'>>): Record<string, unknown> {
  const { datasource_item, sample, results } = sent();
  return {
    ...value,
    datasource_item,
    sample: withSent(value.sample, sample, ['usage']),
    results: value.results.map((each, i) => withSent(each, ownMember(results, String(i)), ['score'])),
  };
}

function withSent(value: object | null | undefined, sent: unknown, numbers: string[]): object | null {
  if (!value || !isObject(sent)) return value ?? null;
  return { ...sent, ...Object.fromEntries(numbers.map((name) => [name, ownMember(value, name)])) };
}

function sentRows({ data_source: of }: Record<string, unknown>): unknown[] {
  const rows = isObject(of) && isObject(of.source) ? of.source.content : null;
  return Array.isArray(rows) ? rows : [];
}

/** Reports an expected failure, so that the import continues. */
async function settle(work: Import, place: string | null, run: () => Promise<void>): Promise<void> {
  work.signal.throwIfAborted();
  try {
    await run();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    work.refuse(place === null ? error.message : `${place}: ${error.message}`);
  }
}
