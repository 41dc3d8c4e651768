import type { ProjectId } from '../../contract/ids.ts';
import { type HistoryRow, parseHistoryRow, RowSample, stepOf } from '../../domain/runs/history.ts';
import { appendLines, type NewLines, readLines } from '../../store/postgres/runs/lines.ts';
import { addRunFiles, listRunFiles } from '../../store/postgres/runs/run-files.ts';
import {
  addRun,
  changeRun,
  countRuns,
  deleteRun,
  findRun,
  listRuns,
  type Run,
  type RunChanges,
} from '../../store/postgres/runs/runs.ts';
import { invalidInput } from '../../util/failures.ts';
import { openTurn } from '../../util/turns.ts';
import type { Deps } from '../deps.ts';
import { deleteBlobs } from '../training/delete-blobs.ts';
import { runKeys } from './run-keys.ts';

export type { NewLines, Run, RunChanges };

/** What a run reports at once, with its state if it changes. */
export type RunReport = { lines: NewLines[]; summary?: string; state?: 'finished' | 'failed' | 'preempting' };

type HistoryQuery = {
  /** Only rows with all of these columns, and only these columns of them. */
  columns?: string[] | null;
  minStep?: number | null;
  /** Exclusive. */
  maxStep?: number | null;
};

/** Records of programs: their configuration, and the metrics that they log row by row. */
export type Runs = {
  /** Adds a run, or changes the one of this name. @throws Failure for an invalid name or configuration */
  upsert(
    run: { projectId: ProjectId; name: string; createdBy: string },
    changes: RunChanges,
  ): Promise<{ run: Run; isNew: boolean }>;
  change(id: string, changes: RunChanges): Promise<void>;
  find(projectId: ProjectId, name: string): Promise<Run | null>;
  findById(id: string): Promise<Run | null>;
  list(page: {
    projectId: ProjectId | null;
    afterId: string | null;
    limit: number;
    isAscending?: boolean;
  }): Promise<Run[]>;
  count(projectId: ProjectId): Promise<number>;
  /** Deletes a run with its files. @returns whether there was one */
  delete(run: Run): Promise<boolean>;
  /** Stores what a run reports; it survives a crash once this resolves. @returns false if the run is gone */
  report(run: Run, report: RunReport): Promise<boolean>;
  /** The lines of a stream, or the last of them. */
  lines(run: Run, stream: NewLines['stream'], options?: { last?: number }): AsyncIterable<string>;
  /** The rows of its history in order. */
  history(run: Run, query?: HistoryQuery): AsyncIterable<HistoryRow>;
  /** At most so many rows of its history, chosen at random. */
  sample(run: Run, query: HistoryQuery, rowsMax: number): Promise<HistoryRow[]>;
  addFiles(run: Run, names: string[]): Promise<{ name: string; key: string }[]>;
  files(run: Run): Promise<{ name: string; key: string; sizeBytes: number }[]>;
};

const runFilesMax = 1000;

export function openRuns({ postgres, blobs }: Pick<Deps, 'postgres' | 'blobs'>): Runs {
  async function* history(run: Run, { columns = null, minStep = null, maxStep = null }: HistoryQuery = {}) {
    const turn = openTurn();
    for await (const line of readLines(postgres, run.id, 'history')) {
      if (turn.isOver()) await turn.next();
      const row = parseHistoryRow(line);
      if (row === null) continue;
      const step = stepOf(row);
      if ((minStep !== null && step < minStep) || (maxStep !== null && step >= maxStep)) continue;
      if (columns === null) yield row;
      else if (columns.every((column) => Object.hasOwn(row, column))) {
        yield Object.fromEntries(columns.map((column) => [column, row[column]]));
      }
    }
  }

  return {
    async upsert({ projectId, name, createdBy }, changes) {
      refuseBadName(name);
      refuseBadObjects(changes);
      const isNew = await addRun(postgres, { projectId, name, createdBy });
      const { id } = (await findRun(postgres, { projectId, name }))!;
      await changeRun(postgres, id, changes);
      return { run: (await findRun(postgres, { id }))!, isNew };
    },

    async change(id, changes) {
      refuseBadObjects(changes);
      await changeRun(postgres, id, changes);
    },

    find: (projectId, name) => findRun(postgres, { projectId, name }),
    findById: (id) => findRun(postgres, { id }),
    list: (page) => listRuns(postgres, page),
    count: (projectId) => countRuns(postgres, projectId),

    async delete(run) {
      const isDeleted = await deleteRun(postgres, run.id);
      await deleteBlobs(blobs, runKeys.files(run));
      return isDeleted;
    },

    async report({ id }, { lines, ...changes }) {
      refuseBadObjects(changes);
      return appendLines(postgres, id, lines, changes);
    },

    async *lines(run, stream, { last } = {}) {
      const count = { history: run.historyLines, events: run.eventLines, log: run.logLines }[stream];
      yield* readLines(postgres, run.id, stream, last === undefined ? 0 : Math.max(0, count - last));
    },

    history,

    async sample(run, query, rowsMax) {
      const sample = new RowSample<HistoryRow>(rowsMax);
      for await (const row of history(run, query)) sample.add(row);
      return sample.rows();
    },

    async addFiles(run, names) {
      for (const name of names)
        if (name === '' || name.length > 1024) throw invalidInput('The name of a file is invalid.');
      const known = await listRunFiles(postgres, run.id, runFilesMax);
      if (new Set([...known, ...names]).size > runFilesMax)
        throw invalidInput(`A run can have at most ${runFilesMax} files.`);
      await addRunFiles(postgres, run.id, names);
      return names.map((name) => ({ name, key: runKeys.file(run, name) }));
    },

    async files(run) {
      const found: { name: string; key: string; sizeBytes: number }[] = [];
      for (const name of await listRunFiles(postgres, run.id, runFilesMax)) {
        const key = runKeys.file(run, name);
        const sizeBytes = await blobs.size(key);
        if (sizeBytes !== null) found.push({ name, key, sizeBytes });
      }
      return found;
    },
  };
}

function refuseBadName(name: string): void {
  const isBad = name === '' || name.length > 128 || /[/:\p{Cc}]/u.test(name) || !name.isWellFormed();
  if (isBad)
    throw invalidInput(
      `The id of a run must have 1 to 128 characters, without "/" and ":" (found ${JSON.stringify(name)}).`,
    );
}

/** What is stored can be read back as an object. */
function refuseBadObjects({ config, summary }: Pick<RunChanges, 'config' | 'summary'>): void {
  for (const [what, text] of Object.entries({ config, summary })) {
    if (text !== undefined && parseHistoryRow(text) === null) {
      throw invalidInput(`The ${what} of a run must be a JSON object.`);
    }
  }
}
