import { busy } from '../failures.ts';
import { FairQueue } from '../fair-queue.ts';
import { IsolatedProcess, IsolationLost } from './isolated-process.ts';
import type { ProcessLimits } from './limited-process.ts';

export type PoolOptions = {
  /** Processes that work at the same time. */
  processesMax: number;
  /** Jobs that may wait for a process. */
  waitingMax: number;
  /** The error message if the maximum number of jobs is waiting. */
  fullMessage(waiting: number): string;
};

type Job<Body, Result> = {
  work: (process: IsolatedProcess<Body, Result>) => Promise<unknown>;
  signal: AbortSignal;
  isRepeated: boolean;
  resolve: (result: unknown) => void;
  reject: (error: Error) => void;
};

const idleMs = 60_000;

/**
 * Isolated processes that each run one job at a time, started on demand. Owners take turns, so the jobs of one owner
 * delay those of another by at most one job.
 */
export class ProcessPool<Body, Result> {
  readonly #file: URL;
  readonly #limits: ProcessLimits;
  readonly #options: PoolOptions;
  readonly #waiting = new FairQueue<Job<Body, Result>>();
  readonly #idle: IsolatedProcess<Body, Result>[] = [];
  readonly #working = new Set<IsolatedProcess<Body, Result>>();
  #isClosed = false;

  constructor(file: URL, limits: ProcessLimits, options: PoolOptions) {
    this.#file = file;
    this.#limits = limits;
    this.#options = options;
  }

  /** Runs a job with exclusive use of a process. @throws Failure */
  run<Value>(
    owner: readonly [string, ...string[]],
    work: (process: IsolatedProcess<Body, Result>) => Promise<Value>,
    signal: AbortSignal,
  ): Promise<Value> {
    if (this.#isClosed) return Promise.reject(new IsolationLost('closed', false));
    signal.throwIfAborted();
    const { waitingMax, fullMessage } = this.#options;
    if (!this.#waiting.hasRoomFor(owner[0], waitingMax)) throw busy(fullMessage(this.#waiting.size));
    return new Promise<unknown>((resolve, reject) => {
      const job = { work, signal, isRepeated: false, resolve, reject };
      this.#waiting.add(owner, job);
      const leave = () => {
        if (this.#waiting.delete(owner, job)) reject(signal.reason as Error);
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#begin();
    }) as Promise<Value>;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { reject } of this.#waiting.clear()) reject(new IsolationLost('closed', false));
    const processes = [...this.#idle.splice(0), ...this.#working];
    await Promise.all(processes.map((each) => each.close()));
  }

  #begin(): void {
    while (this.#working.size < this.#options.processesMax) {
      const job = this.#waiting.next();
      if (!job) return;
      void this.#do(job);
    }
  }

  async #do(job: Job<Body, Result>): Promise<void> {
    const { work, resolve, reject } = job;
    const process = this.#takeIdle() ?? new IsolatedProcess<Body, Result>(this.#file, this.#limits, { idleMs });
    this.#working.add(process);
    try {
      resolve(await work(process));
    } catch (error) {
      if (this.#mayRepeat(job, error as Error)) void this.#do({ ...job, isRepeated: true });
      else reject(error as Error);
    }
    this.#working.delete(process);
    if (process.isAlive) this.#idle.push(process);
    this.#begin();
  }

  /** A process may end without the job being at fault: it used up its CPU time over many jobs. */
  #mayRepeat({ isRepeated, signal }: Job<Body, Result>, error: Error): boolean {
    const isInnocent = error instanceof IsolationLost && !error.isCulprit;
    return isInnocent && !isRepeated && !this.#isClosed && !signal.aborted;
  }

  /** The most recently used one, so that the others become idle and end. */
  #takeIdle(): IsolatedProcess<Body, Result> | undefined {
    for (let process = this.#idle.pop(); process; process = this.#idle.pop()) if (process.isAlive) return process;
    return undefined;
  }
}
