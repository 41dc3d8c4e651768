import { IsolationLost } from '../../util/workers/isolated-process.ts';
import { ProcessPool } from '../../util/workers/process-pool.ts';
import { type Compared, type LocalRule, RuleError } from './apply-rule.ts';
import type { RuleReply, RuleRequest } from './rule-process.ts';

/**
 * Applies the rules of scorers. Patterns and schemas come from users and can take any time, so this happens in
 * processes with limits, which are killed when a rule takes too long (`decisions/0008-untrusted-code-of-requests.md`).
 */
export type Rules = {
  /** @throws RuleError */
  apply(scorer: LocalRule, compared: Compared, options: { project: string; signal: AbortSignal }): Promise<unknown>;
  close(): Promise<void>;
};

const processFile = new URL('./rule-process.ts', import.meta.url);
const limits = { heapMb: 256, memoryMb: 256, niceness: 10 };
const poolOptions = {
  processesMax: 2,
  waitingMax: 10_000,
  fullMessage: (waiting: number) => `${waiting} scores are already waiting to be computed. Try again later.`,
};

export function openRules({ timeoutMs = 5000 }: { timeoutMs?: number } = {}): Rules {
  const pool = new ProcessPool<RuleRequest, RuleReply>(processFile, limits, poolOptions);
  return {
    async apply(scorer, compared, { project, signal }) {
      const call = { timeoutMs, signal };
      const reply = await pool
        .run([project], (process) => process.call({ scorer, compared }, call), signal)
        .catch((error: unknown) => {
          const isKilled = error instanceof IsolationLost && error.reason !== 'closed';
          if (!isKilled) throw error;
          const limit = error.reason === 'time' ? `more than ${timeoutMs / 1000} s` : 'too much memory';
          throw new RuleError(`The rule ${scorer.rule} takes ${limit} for this output.`);
        });
      if ('refused' in reply) throw new RuleError(reply.refused);
      return reply.score;
    },
    close: () => pool.close(),
  };
}
