import type { IsolatedProcess } from '../../../util/workers/isolated-process.ts';
import { type PoolOptions, ProcessPool } from '../../../util/workers/process-pool.ts';
import { SchemaViolated } from '../schema-violated.ts';
import type { CheckReply, CheckRequest } from './check-process.ts';

/** The JSON schemas that a finished answer must satisfy, as text. */
export type AnswerSchemas =
  /** Of the content. */
  | { kind: 'content'; schema: string }
  /** Of the arguments of required calls, by tool name; without tools whose schemas are not enforced. */
  | { kind: 'calls'; schemas: ReadonlyMap<string, string> };

/** The parts of an answer that schemas constrain. */
export type CheckedAnswer = { content: string; calls: readonly { name: string; arguments: string }[] };

type Requester = { tenant: readonly [string, ...string[]]; signal: AbortSignal };

type CheckProcess = IsolatedProcess<CheckRequest, CheckReply>;

const processFile = new URL('./check-process.ts', import.meta.url);
const limits = { heapMb: 256, memoryMb: 256, niceness: 0 };
const timeoutMs = 2_000;

/** A safety net for grammars: checks answers against the schemas of their requests, in a separate process. */
export class AnswerChecks {
  readonly #pool: ProcessPool<CheckRequest, CheckReply>;

  constructor(options: PoolOptions) {
    this.#pool = new ProcessPool(processFile, limits, options);
  }

  /**
   * Resolves to the error in an answer. An answer that cannot be checked in time counts as valid, because the grammar
   * enforced it.
   */
  async fault(
    schemas: AnswerSchemas,
    { content, calls }: CheckedAnswer,
    requester: Requester,
  ): Promise<SchemaViolated | null> {
    if (schemas.kind === 'content') {
      const place = await this.#place(schemas.schema, content, requester);
      if (place === null) return null;
      return new SchemaViolated(
        place === 'JSON'
          ? 'The answer is not JSON, although its request has a JSON schema'
          : `The answer violates the schema of its request at ${place}`,
      );
    }
    if (calls.length === 0) return new SchemaViolated('The answer has no call, although its request requires one');
    const faults = calls.map(async ({ name, arguments: written }) => {
      const schema = schemas.schemas.get(name);
      const place = schema === undefined ? null : await this.#place(schema, written, requester);
      return place === null
        ? null
        : new SchemaViolated(`The arguments of a call violate the schema of its tool at ${place}`);
    });
    return (await Promise.all(faults)).find((fault) => fault !== null) ?? null;
  }

  /** Where a text violates a schema, or null. @throws if the schema cannot be used, or the check takes too long */
  violation(schema: string, text: string, { tenant, signal }: Requester): Promise<string | null> {
    const work = (process: CheckProcess) => process.call({ schema, answer: text }, { timeoutMs, signal });
    return this.#pool.run(tenant, work, signal);
  }

  /** The same; null if it cannot be checked. */
  async #place(schema: string, answer: string, requester: Requester): Promise<string | null> {
    try {
      return await this.violation(schema, answer, requester);
    } catch {
      return null;
    }
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}
