import type { Context } from '../../context.ts';
import type { agentTraces } from '../../contract/otel/traces.ts';
import type { Handler } from '../../http/bind.ts';
import { encodedAnswer, receiveSpans, refusalOf } from './export-traces.ts';

export function exportAgentTraces(context: Context): Handler<typeof agentTraces> {
  return async (input) => {
    const { groups, encoding, refused } = await receiveSpans(context, input);
    const unstored = await context.services.spans.storeOfAgents(groups, input.caller.userId);
    const refusal = refusalOf([...refused, ...unstored], context.log);
    const { count, message } = refusal;
    const accepted = groups.reduce((sum, { spans }) => sum + spans.length, 0);
    return encodedAnswer(encoding, refusal, {
      accepted_spans: accepted,
      rejected_spans: count,
      error_message: message,
    });
  };
}
