import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { Identity } from '../../identity/identity.ts';
import type { Services } from '../../services/services.ts';
import { Failure, invalidInput, isRefusal } from '../../util/failures.ts';
import { ownerOfImport } from '../owner-of-import.ts';
import type { Watch } from '../watch.ts';
import { applyConfiguration } from './apply-configuration.ts';
import { convertConfiguration } from './configuration.ts';
import type { Import, TableRow } from './import.ts';
import { type Row, rowsOf, type Source, sourcesAt } from './read-files.ts';
import { readConfiguration } from './read-toml.ts';
import { newReport, type Report, refuse, tablesWithLoss } from './report.ts';
import type { Columns, Table } from './tables.ts';
import { type Datapoints, keepDatapoints, writeDatasets } from './write-datasets.ts';
import { type Demonstrations, writeFeedback } from './write-feedback.ts';
import { writeInferences } from './write-inferences.ts';

export const importTensorZeroParams = z.object({
  /** TOML files that are one configuration together. */
  config: z.array(z.string()),
  /** Files and folders with rows. */
  data: z.array(z.string()),
  project: z.string().optional(),
  /** The model of every variant, instead of those in the configuration. */
  model: z.string().optional(),
});

type Parts = {
  identity: Identity;
  services: Services;
  /** Writes the rows of a Parquet file as JSON lines. @throws Failure */
  convertParquet(from: string, to: string): Promise<void>;
};

type Result = Report & { project: string; loss: Table[] };

const batchRows = 500;
const batchCharacters = 8 * 1024 * 1024;
const inferenceTables: Table[] = ['ChatInference', 'JsonInference', 'ModelInference'];
const datapointTables: Table[] = ['ChatInferenceDatapoint', 'JsonInferenceDatapoint'];

/**
 * Imports a configuration of TensorZero, and rows of its tables: first inferences, then feedback on them, then datapoints. Ids and
 * times stay the same, so a repeated import adds nothing, and one that was interrupted can be repeated.
 * @throws Failure for a file or project that cannot be used
 */
export async function importTensorZero(
  { identity, services, convertParquet }: Parts,
  { config, data, project, model }: z.output<typeof importTensorZeroParams>,
  watch: Watch,
): Promise<Result> {
  if (config.length === 0 && data.length === 0) throw invalidInput('Give --config, files with rows, or both.');
  const table = config.length === 0 ? null : await readConfiguration(config);
  const sources = await sourcesAt(data);
  const owner = await ownerOfImport(identity, project ?? 'tensorzero');
  const report = newReport();
  if (table !== null)
    await applyConfiguration(services, owner, convertConfiguration(table, owner.project.name, model ?? null), report);
  const settings = await services.tensorZero.settings(owner);
  const { signal } = watch;
  const render: Import['render'] = (of) => services.tensorZero.renderStored({ ...owner, ...of, settings, signal });
  const work: Import = { services, owner, report, settings, render, signal };
  const folder = await mkdtemp(join(tmpdir(), 'heddle-import-'));
  try {
    await importRows(work, await readableSources(sources, { folder, convertParquet, report }), watch);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return { ...report, project: owner.project.name, loss: tablesWithLoss(report) };
}

/** Files that can be read row by row. */
async function readableSources(
  sources: Source[],
  { folder, convertParquet, report }: Pick<Parts, 'convertParquet'> & { folder: string; report: Report },
): Promise<Source[]> {
  const readable: Source[] = [];
  for (const [index, source] of sources.entries()) {
    const path = join(folder, `${index}.jsonl`);
    try {
      if (source.isParquet) await convertParquet(source.path, path);
      readable.push(source.isParquet ? { ...source, path } : source);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      refuse(report, error.message);
    }
  }
  return readable;
}

async function importRows(work: Import, sources: Source[], watch: Watch): Promise<void> {
  const heads = await readHeads(sources, watch);
  const tablesOf = new Map<Source, Set<Table>>();
  const demonstrations: Demonstrations = new Map();
  const datapoints: Datapoints = new Map();
  const feedbackOf = (rows: TableRow[]) => writeFeedback(work, rows, demonstrations);
  for (const source of sources)
    tablesOf.set(source, await pass(source, inferenceTables, (rows) => writeInferences(work, rows), true));
  const isFeedback = (table: Table) => !inferenceTables.includes(table) && !datapointTables.includes(table);
  for (const [source, found] of tablesOf) {
    const tables = [...found].filter(isFeedback);
    if (tables.length > 0) await pass(source, tables, feedbackOf, false);
  }
  for (const [source, found] of tablesOf) {
    const tables = [...found].filter((table) => datapointTables.includes(table));
    if (tables.length > 0) await pass(source, tables, (rows) => keepDatapoints(work, rows, datapoints), false);
  }
  await writeDatasets(work, datapoints, demonstrations);

  /** Reads a file once for some tables. @returns the tables that it has rows of */
  async function pass(source: Source, tables: Table[], write: (rows: TableRow[]) => Promise<void>, isFirst: boolean) {
    const found = new Set<Table>();
    let batch: TableRow[] = [];
    let size = 0;
    let progress = () => {};
    const flush = async () => {
      watch.signal.throwIfAborted();
      if (batch.length > 0) await write(batch);
      [batch, size] = [[], 0];
      progress();
    };
    const reading = {
      refuse: (reason: string) => (isFirst ? refuse(work.report, reason) : undefined),
      opened: (file: { readBytes(): number; sizeBytes: number }) => {
        progress = () =>
          watch.report({
            step: 'importing',
            file: source.name,
            doneBytes: file.readBytes(),
            totalBytes: file.sizeBytes,
          });
      },
    };
    try {
      for await (const row of rowsOf(source, reading)) {
        const known = withHead(row, heads);
        if (known === null) continue;
        if ('refused' in known) {
          if (isFirst) refuse(work.report, known.refused, known.table);
          continue;
        }
        found.add(known.table);
        if (!tables.includes(known.table)) continue;
        batch.push(known);
        size += charactersOf(known.columns);
        if (batch.length >= batchRows || size >= batchCharacters) await flush();
      }
      await flush();
    } catch (error) {
      if (!isRefusal(error)) throw error;
      if (isFirst) refuse(work.report, `${source.name}: ${error.message}`);
    }
    return found;
  }
}

function charactersOf(columns: Columns): number {
  return Object.values(columns).reduce<number>(
    (sum, value) => sum + (typeof value === 'string' ? value.length : 100),
    0,
  );
}

/** The rows of PostgreSQL's tables that have no payloads, by their ids. */
type Heads = Map<string, Columns>;

async function readHeads(sources: Source[], watch: Watch): Promise<Heads> {
  const heads: Heads = new Map();
  for (const source of sources.filter(({ path }) => !/\.(jsonl?|ndjson)(\.gz)?$/i.test(path))) {
    watch.report({ step: 'reading', file: source.name, doneBytes: 0, totalBytes: (await stat(source.path)).size });
    const quietly = { refuse: () => {}, opened: () => {} };
    try {
      for await (const { kind, columns } of rowsOf(source, quietly)) {
        watch.signal.throwIfAborted();
        if (kind.startsWith('head')) heads.set(String(columns.id).toLowerCase(), columns);
      }
    } catch (error) {
      if (!isRefusal(error)) throw error; // reported by the next reading
    }
  }
  return heads;
}

/** A row of one table; null for a row that is read with its payload. */
function withHead({ place, kind, columns }: Row, heads: Heads): TableRow | { refused: string; table: Table } | null {
  switch (kind) {
    case 'head of an inference':
    case 'head of a model inference':
      return null;
    case 'payload of an inference':
    case 'payload of a model inference': {
      const isModel = kind === 'payload of a model inference';
      const table = isModel
        ? 'ModelInference'
        : Object.hasOwn(columns, 'output_schema')
          ? 'JsonInference'
          : 'ChatInference';
      const head = heads.get(String(columns.id).toLowerCase());
      const names = isModel ? 'model_inferences' : 'chat_inferences or json_inferences';
      if (head === undefined) return { refused: `${place}: no row of ${names} has this id.`, table };
      return { place, table, columns: { ...head, ...columns } };
    }
    default:
      return { place, table: kind, columns };
  }
}
