import { type LocalMetric, textSimilarity } from '../../domain/graders/similarity/similarity.ts';
import type { JsonSchema } from '../../domain/json-schema.ts';
import { serveIsolated } from '../../util/workers/serve-isolated.ts';
import { applyRule, type Compared, type LocalRule, RuleError } from './apply-rule.ts';
import { firstFault } from './first-fault.ts';

/** The process that applies rules and compares texts: started by `rules.ts`. */
export type RuleRequest =
  | { scorer: LocalRule; compared: Compared }
  | { metric: LocalMetric; input: string; reference: string }
  | { schema: JsonSchema; values: string[] };
export type RuleReply = { score: unknown } | { refused: string };

serveIsolated((request: RuleRequest): RuleReply => {
  try {
    return { score: answerTo(request) };
  } catch (error) {
    if (error instanceof RuleError) return { refused: error.message };
    throw error;
  }
});

function answerTo(request: RuleRequest): unknown {
  if ('schema' in request) return firstFault(request.schema, request.values);
  if ('metric' in request) return textSimilarity(request.metric, request.input, request.reference);
  return applyRule(request.scorer, request.compared);
}
