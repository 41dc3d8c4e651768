import type { Transaction } from 'kysely';
import type { Database } from '../store/postgres/schema.ts';
import { withinMs } from '../util/within-ms.ts';
import { attempt } from './attempt.ts';
import { JobCanceled, JobTaken, ShuttingDown, type Task } from './job-kind.ts';
import type { JobLease, JobLeases } from './leases/job-leases.ts';
import { ProjectTurns } from './project-turns.ts';
import { interruptionDelayMaxMs, type Queue } from './queue.ts';
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
  /** Starts no further jobs and stops the running ones. Resolves when all have stopped, or after `graceMs`. */
  close(graceMs: number): Promise<void>;
};

/** Delay after an error of the store, and while no jobs may start. */
const pauseMs = 2000;
/** Delay before a job that was due a moment ago is looked for again; its project or its key may hold it up. */
const againMs = 20;
/** How long a process takes no jobs of a project after it has left one of them to other processes. */
const leftMs = 3000;

type Running = { lease: JobLease; ended: Promise<void> };

/** Releases the jobs whose process was killed, then runs what waits. */
export async function startRunner(
  { queue, leases }: { queue: Queue; leases: JobLeases },
  { kind, handler }: Task,
  options: RunnerOptions,
): Promise<Runner> {
  const running = new Set<Running>();
  const canceling = new Map<string, Promise<boolean>>();
  /** Until when the jobs of projects are left to other processes. */
  const leftUntil = new Map<string, number>();
  let attempts = 0; // a job whose end cannot be stored yet is running, but holds up no other
  const turns = new ProjectTurns(kind.runningPerProjectMax);
  const waker = new Waker(wake);
  let closing = false;
  let filling: Promise<void> | null = null;
  let wokenWhileFilling = false;

  await queue.prepare(kind);
  await leases.watch(kind.name, { wake, cancel });
  wake();
  return {
    wake,
    cancel,
    async close(graceMs) {
      closing = true;
      waker.close();
      for (const { lease } of running) lease.controller.abort(new ShuttingDown());
      const allEnded = async () => {
        await filling; // may start one more job, which stops at once
        await Promise.all([...running].map(({ ended }) => ended));
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
      const lookedAt = performance.now();
      const lease = await turns.next((ignored) => leases.take(kind, [...ignored, ...leftProjects()]));
      if (lease === null) {
        // A job may become due after it was looked for, and before the next time is.
        const dueInMs = await queue.nextDueInMs(kind.name, 1000 + performance.now() - lookedAt);
        if (dueInMs !== null) waker.wakeIn(Math.max(dueInMs, againMs));
        else if (leftUntil.size > 0) waker.wakeIn(leftMs);
        return;
      }
      start(lease);
    }
  }

  function start(lease: JobLease): void {
    const leave = enter(lease.job.project);
    if (closing) lease.controller.abort(new ShuttingDown());
    const execution: Running = { lease, ended: Promise.resolve() };
    running.add(execution);
    execution.ended = runToEnd(lease, leave)
      .catch((error) => options.onError(error, `a job of the kind ${kind.name} waits for the next start`))
      .finally(async () => {
        running.delete(execution);
        leave();
        await lease.close();
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
  async function runToEnd(lease: JobLease, leave: () => void): Promise<void> {
    const { id, history } = lease.job;
    const { signal } = lease.controller;
    if (await isForOthers(lease)) {
      leftUntil.set(lease.job.project, performance.now() + leftMs);
      return stored('waits', (_, transaction) => queue.release(kind.name, id, { history, delayMs: 0 }, transaction));
    }
    const failure = await attempt(kind, handler, lease);
    if (failure === null)
      return stored('over', (_, transaction) => queue.settle(kind.name, id, { state: 'done' }, transaction));
    if (signal.reason instanceof JobCanceled || signal.reason instanceof JobTaken) return; // whoever takes it continues
    if (signal.reason instanceof ShuttingDown)
      return stored('waits', (_, transaction) => queue.release(kind.name, id, { history, delayMs: 0 }, transaction));
    const message = failure.error instanceof Error ? failure.error.message : String(failure.error);
    if ('notRecorded' in failure)
      options.onError(failure.notRecorded, `the failure of a job of the kind ${kind.name} cannot be recorded`);
    if (failure.isRecorded)
      return stored(
        'over',
        (error, transaction) => queue.settle(kind.name, id, { state: 'failed', error }, transaction),
        message,
      );
    options.onError(failure.error, `a job of the kind ${kind.name} failed and will be retried`);
    const failures = history.failures + (history.isFinal ? 0 : 1);
    const next = { failures, interruptions: 0, isFinal: failure.isFinal };
    if (!failure.isFinal)
      return stored(
        'waits',
        (error, transaction) => queue.retry(kind.name, id, { ...next, error }, transaction),
        message,
      );
    const unrecorded = (history.unrecorded ?? 0) + 1;
    const delayMs = recordingDelayMs(unrecorded);
    return stored(
      'waits',
      (error, transaction) =>
        queue.release(kind.name, id, { history: { ...next, unrecorded, error }, delayMs }, transaction),
      message,
    );

    function stored(
      how: 'over' | 'waits',
      write: (message: string, transaction?: Transaction<Database>) => Promise<void>,
      message = '',
    ): Promise<void> {
      const onFailure = (error: unknown) => {
        if (closing) throw error;
        options.onError(error, `the end of a job of the kind ${kind.name} cannot be stored yet`);
        leave();
        lease.standAside();
        wake();
      };
      const store = (message: string) => lease.end(how, (transaction) => write(message, transaction));
      return storeEnd(store, { message, signal, onFailure });
    }
  }

  function leftProjects(): string[] {
    for (const [project, until] of leftUntil) if (performance.now() >= until) leftUntil.delete(project);
    return [...leftUntil.keys()];
  }

  async function isForOthers({ job: { id, input: stored, history }, controller }: JobLease): Promise<boolean> {
    const { data: input } = kind.input.safeParse(stored);
    if (input === undefined || history.isFinal || controller.signal.aborted) return false;
    return (await handler.isForOthers?.(input, { id }).catch(() => false)) ?? false; // its run throws the same error
  }

  /** Two cancellations of a job are one: the second would take it from the first if that is slower than its lease. */
  async function cancel(id: string): Promise<boolean> {
    const underWay = canceling.get(id) ?? takeAndCancel(id).finally(() => canceling.delete(id));
    canceling.set(id, underWay);
    return underWay;
  }

  async function takeAndCancel(id: string): Promise<boolean> {
    for (let isFirst = true; ; isFirst = false) {
      const lease = await leases.takeToCancel(kind.name, id);
      if (typeof lease === 'boolean') return lease || (!isFirst && (await isCanceled(id)));
      const { input: stored, project } = lease.job;
      try {
        const { data: input } = kind.input.safeParse(stored); // without a valid one, no handler has seen the job
        if (input !== undefined) await handler.canceled(input, { id, project, assertHeld: lease.assertHeld });
        await lease.end('over', (transaction) => queue.cancel(kind.name, id, transaction));
        return true;
      } catch (error) {
        if (error instanceof JobTaken) continue; // this process was too slow: another one completes it
        await letGoOn(id, lease);
        throw error;
      } finally {
        await lease.close();
        wake();
      }
    }
  }

  async function isCanceled(id: string): Promise<boolean> {
    return (await queue.find(kind.name, id))?.state === 'canceled';
  }

  /** Its cancellation cannot be stored. */
  function letGoOn(id: string, lease: JobLease): Promise<void> {
    return lease.end('goesOn', async (transaction) => {
      const job = await queue.find(kind.name, id, transaction);
      if (job?.state === 'active')
        await queue.release(kind.name, id, { history: job.history, delayMs: 0 }, transaction);
    });
  }
}

/** When `failed` is called again after it has thrown. */
function recordingDelayMs(unrecorded: number): number {
  return Math.min(125 * 2 ** unrecorded, interruptionDelayMaxMs);
}
