import type { ProjectId } from '../../contract/ids.ts';
import {
  columnOf,
  type HistoryRow,
  parseHistoryRow,
  RowSample,
  stepOf,
  writeHistoryRow,
} from '../../domain/runs/history.ts';
import { HistoryKeyCounter, type HistoryKeys } from '../../domain/runs/history-keys.ts';
import { appendLines, type NewLines, readLines } from '../../store/postgres/runs/lines.ts';
import { addRunFiles, listRunFiles, removeRunFile } from '../../store/postgres/runs/run-files.ts';
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
import { copyHistory } from './copy-history.ts';
import { type FoundRuns, type RunQuery, searchRuns } from './find-runs.ts';
import { runKeys } from './run-keys.ts';

export type { NewLines, Run, RunChanges };

/** What a client of a run reports in one request, with the run's state if it changes. */
export type RunReport = {
  /** Only set by a client that shares the run with others. */
  clientId?: string;
  lines: NewLines[];
  summary?: string;
  state?: 'finished' | 'failed' | 'preempting';
};

type HistoryQuery = {
  /** Only rows that have all of these columns, and only these columns. */
  columns?: string[] | null;
  minStep?: number | null;
  /** Exclusive. */
  maxStep?: number | null;
};

/** Records of programs: their configuration and the metrics that they log row by row. */
export type Runs = {
  /** Adds a run, or changes the one with this name. @throws Failure for an invalid name or configuration */
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
  /** The runs of a project that match a filter, in an order. @throws Failure for an unsupported filter */
  search(projectId: ProjectId, query: RunQuery): Promise<FoundRuns>;
  /** How many runs a sweep has. */
  count(projectId: ProjectId, of: { sweepId: string }): Promise<number>;
  /** Copies the rows of another run up to a step to a run without a history. @throws Failure if that is not possible */
  fork(run: Run, parent: Run, step: number): Promise<void>;
  /** Removes the rows after a step. */
  rewind(run: Run, step: number): Promise<void>;
  /** Deletes a run with its files. @returns whether there was one */
  delete(run: Run): Promise<boolean>;
  /** Stores what a run reports; once this resolves, it survives a crash. @returns false if the run was deleted */
  report(run: Run, report: RunReport): Promise<boolean>;
  /** The lines of a stream, or the last of them. */
  lines(run: Run, stream: NewLines['stream'], options?: { last?: number }): AsyncIterable<string>;
  /** The rows of its history in order, each with a step. */
  history(run: Run, query?: HistoryQuery): AsyncIterable<HistoryRow>;
  /** What its history has in each column; null without rows. */
  historyKeys(run: Run): Promise<HistoryKeys | null>;
  /** At most this many rows of its history, chosen at random. */
  sample(run: Run, query: HistoryQuery, rowsMax: number): Promise<HistoryRow[]>;
  addFiles(run: Run, names: string[]): Promise<{ name: string; key: string }[]>;
  files(run: Run): Promise<{ name: string; key: string; sizeBytes: number }[]>;
  deleteFiles(run: Run, names: string[]): Promise<void>;
};

const runFilesMax = 1000;

export function openRuns({ postgres, blobs }: Pick<Deps, 'postgres' | 'blobs'>): Runs {
  async function* history(run: Run, { columns = null, minStep = null, maxStep = null }: HistoryQuery = {}) {
    const turn = openTurn();
    let place = 0;
    for await (const line of readLines(postgres, run.id, 'history')) {
      if (turn.isOver()) await turn.next();
      const sent = parseHistoryRow(line);
      if (sent === null) continue;
      const row = '_step' in sent ? sent : { ...sent, _step: place }; // clients that share a run do not count steps
      place++;
      const step = stepOf(row);
      if ((minStep !== null && step < minStep) || (maxStep !== null && step >= maxStep)) continue;
      if (columns === null) yield row;
      else {
        const values = columns.map((column) => [column, columnOf(row, column)] as const);
        if (values.every(([, value]) => value !== undefined)) yield Object.fromEntries(values);
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
    search: (projectId, query) => searchRuns(postgres, projectId, query),
    count: (projectId, of) => countRuns(postgres, projectId, of),
    fork: (run, parent, step) => copyHistory(postgres, { from: parent, to: run, step, rows: history(parent) }),
    rewind: (run, step) => copyHistory(postgres, { from: run, to: run, step, rows: history(run) }),

    async delete(run) {
      const isDeleted = await deleteRun(postgres, run.id);
      await deleteBlobs(blobs, runKeys.files(run));
      return isDeleted;
    },

    async report({ id: runId }, { clientId = '', lines, summary, state }) {
      refuseBadObjects({ summary });
      const summarize = (stored: string) => (clientId === '' ? summary! : mergeSummaries(stored, summary!));
      const changes = { ...(summary === undefined ? {} : { summarize }), ...(state && { state }) };
      return appendLines(postgres, { runId, clientId }, lines, changes);
    },

    async *lines(run, stream, { last } = {}) {
      const count = { history: run.historyLines, events: run.eventLines, log: run.logLines }[stream];
      yield* readLines(postgres, run.id, stream, last === undefined ? 0 : Math.max(0, count - last));
    },

    history,

    async historyKeys(run) {
      const counter = new HistoryKeyCounter();
      for await (const row of history(run)) counter.add(row);
      return counter.result();
    },

    async sample(run, query, rowsMax) {
      const sample = new RowSample<HistoryRow>(rowsMax);
      for await (const row of history(run, query)) sample.add(row);
      return sample.rows();
    },

    async addFiles(run, names) {
      for (const name of names)
        if (name === '' || name.length > 1024) throw invalidInput('The name of a file is invalid.');
      if (!(await addRunFiles(postgres, run.id, names, runFilesMax)))
        throw invalidInput(`A run can have at most ${runFilesMax} files.`);
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

    async deleteFiles(run, names) {
      for (const name of names) await removeRunFile(postgres, run.id, name);
      await blobs.deleteMany(names.map((name) => runKeys.file(run, name)));
    },
  };
}

/** Each client that shares a run reports a summary of what it logged. */
function mergeSummaries(stored: string, added: string): string {
  return writeHistoryRow({ ...parseHistoryRow(stored), ...parseHistoryRow(added) });
}

function refuseBadName(name: string): void {
  const isBad = name === '' || name.length > 128 || /[/:\p{Cc}]/u.test(name) || !name.isWellFormed();
  if (isBad)
    throw invalidInput(
      `The id of a run must have 1 to 128 characters, without "/" and ":" (found ${JSON.stringify(name)}).`,
    );
}

/** Stored values can be read back as an object. */
function refuseBadObjects({ config, summary }: Pick<RunChanges, 'config' | 'summary'>): void {
  for (const [what, text] of Object.entries({ config, summary })) {
    if (text !== undefined && parseHistoryRow(text) === null) {
      throw invalidInput(`The ${what} of a run must be a JSON object.`);
    }
  }
}
