import { type LocalMetric, textSimilarity } from '../../domain/graders/similarity/similarity.ts';
import { serveIsolated } from '../../util/workers/serve-isolated.ts';
import { applyRule, type Compared, type LocalRule, RuleError } from './apply-rule.ts';

/** The process that applies rules and compares texts: started by `rules.ts`. */
export type RuleRequest =
  | { scorer: LocalRule; compared: Compared }
  | { metric: LocalMetric; input: string; reference: string };
export type RuleReply = { score: unknown } | { refused: string };

serveIsolated((request: RuleRequest): RuleReply => {
  if ('metric' in request) return { score: textSimilarity(request.metric, request.input, request.reference) };
  try {
    return { score: applyRule(request.scorer, request.compared) };
  } catch (error) {
    if (error instanceof RuleError) return { refused: error.message };
    throw error;
  }
});
