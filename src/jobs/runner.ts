import { withinMs } from '../util/within-ms.ts';
import { attempt, type Execution } from './attempt.ts';
import { JobCanceled, type JobProgress, ShuttingDown, type Task } from './job-kind.ts';
import { ProjectTurns } from './project-turns.ts';
import type { FetchedJob, Queue } from './queue.ts';
import { storeEnd } from './store-end.ts';
import { Waker } from './waker.ts';

export type RunnerOptions = {
  /** Whether new jobs may start now, for example not on a full disk. */
  mayStart(): boolean;
  onError(error: unknown, message: string): void;
};

/** Runs the jobs of one kind. */
export type Runner = {
  /** Looks for a job to start. */
  wake(): void;
  /** @returns whether the job has been canceled: false if it has ended otherwise, or does not exist. */
  cancel(id: string): Promise<boolean>;
  progressOf(id: string): JobProgress | null;
  /** Starts no further jobs and stops the running ones. Resolves when all have stopped, or after `graceMs`. */
  close(graceMs: number): Promise<void>;
};

/** Delay after an error of the store, and while no jobs may start. */
const pauseMs = 2000;
/** Delay before a job that was due a moment ago is looked for again; its project or its key may hold it up. */
const againMs = 20;
/** A job that keeps crashing the process is delayed from here on, so that the server can be used in between. */
const interruptionsAtOnce = 3;
const interruptionDelayMaxMs = 300_000;

/** Releases the jobs that were active when the process was killed, then runs what waits. */
export async function startRunner(queue: Queue, { kind, handler }: Task, options: RunnerOptions): Promise<Runner> {
  const running = new Map<string, Execution>();
  let attempts = 0; // a job whose end cannot be stored yet is running, but holds up no other
  const canceling = new Set<string>();
  const turns = new ProjectTurns(kind.runningPerProjectMax);
  const waker = new Waker(wake);
  let closing = false;
  let filling: Promise<void> | null = null;
  let wokenWhileFilling = false;

  await queue.prepare(kind);
  for (const { id, history } of await queue.listActive(kind.name)) {
    const interruptions = history.interruptions + 1;
    await queue.release(kind.name, id, { ...history, interruptions }, dueAfter(interruptions));
  }
  wake();
  return {
    wake,
    async cancel(id) {
      canceling.add(id);
      try {
        return await cancelJob(id);
      } finally {
        canceling.delete(id);
      }
    },
    progressOf: (id) => running.get(id)?.progress ?? null,
    async close(graceMs) {
      closing = true;
      waker.close();
      for (const { controller } of running.values()) controller.abort(new ShuttingDown());
      const allEnded = async () => {
        await filling; // may start one more job, which stops at once
        await Promise.all([...running.values()].map(({ ended }) => ended));
      };
      await withinMs(graceMs, allEnded(), () => {});
    },
  };

  function wake(): void {
    wokenWhileFilling = filling !== null;
    if (filling || closing) return;
    filling = fill()
      .catch((error) => {
        options.onError(error, `jobs of the kind ${kind.name} cannot be read`);
        waker.wakeIn(pauseMs);
      })
      .finally(() => {
        filling = null;
        if (wokenWhileFilling) wake();
      });
  }

  async function fill(): Promise<void> {
    while (!closing && attempts < kind.runningMax) {
      if (!options.mayStart()) return waker.wakeIn(pauseMs);
      // A job may become due after it was looked for, and before the next time is.
      const shortlyBefore = new Date(Date.now() - 1000);
      const job = await turns.next((ignored) => queue.fetch(kind.name, ignored));
      if (job === null) {
        const due = await queue.nextDueAt(kind.name, shortlyBefore);
        if (due !== null) waker.wakeIn(Math.max(due.getTime() - Date.now(), againMs));
        return;
      }
      start(job);
    }
  }

  function start(job: FetchedJob): void {
    const execution: Execution = { controller: new AbortController(), progress: null, ended: Promise.resolve() };
    running.set(job.id, execution);
    const leave = enter(job.project);
    if (closing) execution.controller.abort(new ShuttingDown());
    if (canceling.has(job.id)) execution.controller.abort(new JobCanceled());
    execution.ended = runToEnd(job, execution, leave)
      .catch((error) => options.onError(error, `a job of the kind ${kind.name} waits for the next start`))
      .finally(() => {
        running.delete(job.id);
        leave();
        wake();
      });
  }

  /** Counts an attempt. @returns what ends it; further calls have no effect */
  function enter(project: string): () => void {
    attempts++;
    turns.begin(project);
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      attempts--;
      turns.end(project);
    };
  }

  /** Runs one attempt and stores how it ended. */
  async function runToEnd(job: FetchedJob, execution: Execution, leave: () => void): Promise<void> {
    const { id, history } = job;
    const { signal } = execution.controller;
    const failure = await attempt(kind, handler, job, execution);
    if (failure === null) return stored(() => queue.settle(kind.name, id, { state: 'done' }));
    if (signal.reason instanceof JobCanceled) return; // `cancelJob` continues
    if (signal.reason instanceof ShuttingDown) return stored(() => queue.release(kind.name, id, history));
    const message = failure.error instanceof Error ? failure.error.message : String(failure.error);
    if ('notRecorded' in failure)
      options.onError(failure.notRecorded, `the failure of a job of the kind ${kind.name} cannot be recorded`);
    if (failure.isRecorded) return stored((error) => queue.settle(kind.name, id, { state: 'failed', error }), message);
    options.onError(failure.error, `a job of the kind ${kind.name} failed and will be retried`);
    const failures = history.failures + (history.isFinal ? 0 : 1);
    const next = { failures, interruptions: 0, isFinal: failure.isFinal };
    if (!failure.isFinal) return stored((error) => queue.retry(kind.name, id, { ...next, error }), message);
    const unrecorded = (history.unrecorded ?? 0) + 1;
    return stored(
      (error) => queue.release(kind.name, id, { ...next, unrecorded, error }, recordingDueAt(unrecorded)),
      message,
    );

    function stored(write: (message: string) => Promise<void>, message = ''): Promise<void> {
      const onFailure = (error: unknown) => {
        if (closing) throw error;
        options.onError(error, `the end of a job of the kind ${kind.name} cannot be stored yet`);
        leave();
        wake();
      };
      return storeEnd(write, { message, signal, onFailure });
    }
  }

  async function cancelJob(id: string): Promise<boolean> {
    const execution = running.get(id);
    execution?.controller.abort(new JobCanceled());
    await execution?.ended;
    const found = await queue.find(kind.name, id);
    if (found === null || (found.state !== 'waiting' && found.state !== 'active')) return false;
    try {
      const { data: input } = kind.input.safeParse(found.input); // without a valid one, no handler has seen the job
      if (input !== undefined) await handler.canceled(input, { id, project: found.project });
      await queue.cancel(kind.name, id);
      return true;
    } catch (error) {
      if (found.state === 'active') await queue.release(kind.name, id, found.history);
      throw error;
    } finally {
      wake();
    }
  }
}

function dueAfter(interruptions: number): Date {
  const repeated = interruptions - interruptionsAtOnce;
  const delayMs = repeated <= 0 ? 0 : Math.min(5000 * 2 ** (repeated - 1), interruptionDelayMaxMs);
  return new Date(Date.now() + delayMs);
}

/** When `failed` is called again after it has thrown. */
function recordingDueAt(unrecorded: number): Date {
  return new Date(Date.now() + Math.min(125 * 2 ** unrecorded, interruptionDelayMaxMs));
}
