import type { IsolatedProcess } from '../../../util/workers/isolated-process.ts';
import { type PoolOptions, ProcessPool } from '../../../util/workers/process-pool.ts';
import { SchemaViolated } from '../schema-violated.ts';
import type { CheckReply, CheckRequest } from './check-process.ts';

type CheckProcess = IsolatedProcess<CheckRequest, CheckReply>;

const processFile = new URL('./check-process.ts', import.meta.url);
const limits = { heapMb: 256, memoryMb: 256, niceness: 0 };
const timeoutMs = 2_000;

/** The net under grammars: compares answers with the schemas of their requests, in a process of its own. */
export class AnswerChecks {
  readonly #pool: ProcessPool<CheckRequest, CheckReply>;

  constructor(options: PoolOptions) {
    this.#pool = new ProcessPool(processFile, limits, options);
  }

  /** Resolves to what is wrong with an answer. What cannot be checked in time counts as right: the grammar enforced it. */
  async fault(
    schema: string,
    answer: string,
    { tenant, signal }: { tenant: readonly [string, ...string[]]; signal: AbortSignal },
  ): Promise<SchemaViolated | null> {
    try {
      const work = (process: CheckProcess) => process.call({ schema, answer }, { timeoutMs, signal });
      const place = await this.#pool.run(tenant, work, signal);
      return place === null ? null : new SchemaViolated(place);
    } catch {
      return null;
    }
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}
