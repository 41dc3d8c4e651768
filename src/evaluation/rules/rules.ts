import { comparedMax, type LocalMetric } from '../../domain/graders/similarity/similarity.ts';
import type { JsonSchema } from '../../domain/json-schema.ts';
import { invalidInput } from '../../util/failures.ts';
import { IsolationLost } from '../../util/workers/isolated-process.ts';
import { ProcessPool } from '../../util/workers/process-pool.ts';
import { type Compared, type LocalRule, RuleError } from './apply-rule.ts';
import type { SchemaFault } from './first-fault.ts';
import type { RuleReply, RuleRequest } from './rule-process.ts';

/**
 * Applies the rules of scorers. Patterns and schemas come from users and can take any time, so this happens in
 * processes with limits, which are killed when a rule takes too long (`decisions/0008-untrusted-code-of-requests.md`).
 */
export type Rules = {
  /** @throws RuleError */
  apply(scorer: LocalRule, compared: Compared, options: RuleOptions): Promise<unknown>;
  /** The similarity of two texts, from 0 to 1. @throws RuleError */
  compare(metric: LocalMetric, texts: { input: string; reference: string }, options: RuleOptions): Promise<number>;
  /** The first of these JSON texts that does not match a schema; null if all do. @throws Failure if the schema cannot be used */
  firstFault(schema: JsonSchema, values: string[], options: RuleOptions): Promise<SchemaFault | null>;
  close(): Promise<void>;
};

type RuleOptions = { project: string; signal: AbortSignal };

const processFile = new URL('./rule-process.ts', import.meta.url);
const limits = { heapMb: 256, memoryMb: 256, niceness: 10 };
const poolOptions = {
  processesMax: 2,
  waitingMax: 10_000,
  fullMessage: (waiting: number) => `${waiting} scores are already waiting to be computed. Try again later.`,
};

export function openRules({ timeoutMs = 5000 }: { timeoutMs?: number } = {}): Rules {
  const pool = new ProcessPool<RuleRequest, RuleReply>(processFile, limits, poolOptions);

  async function run(name: string, request: RuleRequest, { project, signal }: RuleOptions): Promise<unknown> {
    const call = { timeoutMs, signal };
    const reply = await pool
      .run([project], (process) => process.call(request, call), signal)
      .catch((error: unknown) => {
        const isKilled = error instanceof IsolationLost && error.reason !== 'closed';
        if (!isKilled) throw error;
        const limit = error.reason === 'time' ? `more than ${timeoutMs / 1000} s` : 'too much memory';
        throw new RuleError(`${name} takes ${limit}.`);
      });
    if ('refused' in reply) throw new RuleError(reply.refused);
    return reply.score;
  }

  return {
    apply: (scorer, compared, options) => run(`The rule ${scorer.rule}`, { scorer, compared }, options),
    async compare(metric, texts, options) {
      const longest = Math.max(texts.input.length, texts.reference.length);
      if (longest > comparedMax) {
        throw new RuleError(`${metric} compares strings of up to ${comparedMax} characters (found ${longest}).`);
      }
      return (await run(metric, { metric, ...texts }, options)) as number; // as `textSimilarity` returns it
    },
    async firstFault(schema, values, options) {
      try {
        const found = await run('The check of the data with its schema', { schema, values }, options);
        return found as SchemaFault | null; // as `firstFault` returns it in the process
      } catch (error) {
        throw error instanceof RuleError ? invalidInput(error.message) : error;
      }
    },
    close: () => pool.close(),
  };
}
