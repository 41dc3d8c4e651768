import { attempt, type Execution } from './attempt.ts';
import { JobCanceled, type JobProgress, ShuttingDown, type Task } from './job-kind.ts';
import { ProjectTurns } from './project-turns.ts';
import type { FetchedJob, JobHistory, Queue } from './queue.ts';
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
/** A job that keeps crashing the process is delayed from here on, so that the server can be used in between. */
const interruptionsAtOnce = 3;
const interruptionDelayMaxMs = 300_000;

/** Releases the jobs that were active when the process was killed, then runs what waits. */
export async function startRunner(queue: Queue, { kind, handler }: Task, options: RunnerOptions): Promise<Runner> {
  const running = new Map<string, Execution>();
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
      await withinMs(graceMs, async () => {
        await filling; // may start one more job, which stops at once
        await Promise.all([...running.values()].map(({ ended }) => ended));
      });
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
    while (!closing && running.size < kind.runningMax) {
      if (!options.mayStart()) return waker.wakeIn(pauseMs);
      const job = await turns.next((ignored) => queue.fetch(kind.name, ignored));
      if (job === null) {
        const due = await queue.nextDueAt(kind.name);
        if (due !== null) waker.wakeIn(Math.max(due.getTime() - Date.now(), 0));
        return;
      }
      start(job);
    }
  }

  function start(job: FetchedJob): void {
    const execution: Execution = { controller: new AbortController(), progress: null, ended: Promise.resolve() };
    running.set(job.id, execution);
    turns.begin(job.project);
    if (closing) execution.controller.abort(new ShuttingDown());
    if (canceling.has(job.id)) execution.controller.abort(new JobCanceled());
    execution.ended = runToEnd(job, execution)
      .catch((error) => options.onError(error, `a job of the kind ${kind.name} waits for the next start`))
      .finally(() => {
        running.delete(job.id);
        turns.end(job.project);
        wake();
      });
  }

  /** Runs one attempt and stores how it ended. */
  async function runToEnd(job: FetchedJob, execution: Execution): Promise<void> {
    const { id, history } = job;
    const failure = await attempt(kind, handler, job, execution);
    if (failure === null) return stored(() => queue.settle(kind.name, id, { state: 'done' }));
    const { reason } = execution.controller.signal;
    if (reason instanceof JobCanceled) return; // `cancelJob` continues
    if (reason instanceof ShuttingDown) return stored(() => queue.release(kind.name, id, history));
    const error = failure.error instanceof Error ? failure.error.message : String(failure.error);
    if (failure.isRecorded) return stored(() => queue.settle(kind.name, id, { state: 'failed', error }));
    options.onError(failure.error, `a job of the kind ${kind.name} failed and will be retried`);
    const failures = history.failures + (history.isFinal ? 0 : 1);
    const next: JobHistory = { failures, interruptions: 0, error, isFinal: failure.isFinal };
    return stored(() => queue.retry(kind.name, id, next));
  }

  async function cancelJob(id: string): Promise<boolean> {
    const execution = running.get(id);
    execution?.controller.abort(new JobCanceled());
    await execution?.ended;
    const found = await queue.find(kind.name, id);
    if (found === null || (found.state !== 'waiting' && found.state !== 'active')) return false;
    try {
      await handler.canceled(kind.input.parse(found.input), { id, project: found.project });
      await queue.cancel(kind.name, id);
      return true;
    } catch (error) {
      if (found.state === 'active') await queue.release(kind.name, id, found.history);
      throw error;
    } finally {
      wake();
    }
  }

  /** A job that has ended must not run again because its end could not be stored at once. */
  async function stored(write: () => Promise<void>): Promise<void> {
    for (let pause = 100; ; pause = Math.min(2 * pause, 5000)) {
      try {
        return await write();
      } catch (error) {
        if (closing) throw error;
        options.onError(error, `the end of a job of the kind ${kind.name} cannot be stored yet`);
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    }
  }
}

function dueAfter(interruptions: number): Date {
  const repeated = interruptions - interruptionsAtOnce;
  const delayMs = repeated <= 0 ? 0 : Math.min(5000 * 2 ** (repeated - 1), interruptionDelayMaxMs);
  return new Date(Date.now() + delayMs);
}

async function withinMs(ms: number, work: () => Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout;
  const timeUp = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work(), timeUp]).finally(() => clearTimeout(timer));
}
