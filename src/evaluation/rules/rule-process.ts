import { serveIsolated } from '../../util/workers/serve-isolated.ts';
import { applyRule, type Compared, type LocalRule, RuleError } from './apply-rule.ts';

/** The process that applies rules: started by `rules.ts`. */
export type RuleRequest = { scorer: LocalRule; compared: Compared };
export type RuleReply = { score: unknown } | { refused: string };

serveIsolated(({ scorer, compared }: RuleRequest): RuleReply => {
  try {
    return { score: applyRule(scorer, compared) };
  } catch (error) {
    if (error instanceof RuleError) return { refused: error.message };
    throw error;
  }
});
