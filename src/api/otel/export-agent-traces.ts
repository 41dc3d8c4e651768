import type { Context } from '../../context.ts';
import type { agentTraces } from '../../contract/otel/traces.ts';
import type { Handler } from '../../http/bind.ts';
import { insertAgentSpans } from '../../store/clickhouse/spans/agent-spans.ts';
import { agentSpanRow } from './agent-span-row.ts';
import { callsOf, encodedAnswer, joinEvents, receiveSpans, refusalOf, writeSpans } from './export-traces.ts';
import type { Intake } from './intake.ts';

/** Keeps the spans whole, and shows each as a call unless an SDK traces a call of the same id itself. */
export function exportAgentTraces(context: Context, intake: Intake): Handler<typeof agentTraces> {
  return async (input) => {
    const { groups, encoding, refused } = await receiveSpans(context, input);
    const rows = groups.flatMap(({ project, spans }) =>
      spans.map((span) => agentSpanRow(span, { projectId: project.id, userId: input.caller.userId })),
    );
    await insertAgentSpans(context.inserter, rows);
    const writes = await callsOf(context, intake, groups, input.caller);
    const yielding = writes.map((write) => ({ ...write, yieldsToSdk: true }));
    await writeSpans(context, yielding, refused);
    await joinEvents(intake.joiner, groups);
    const refusal = refusalOf(refused, context.log);
    const { count, message } = refusal;
    return encodedAnswer(encoding, refusal, {
      accepted_spans: rows.length,
      rejected_spans: count,
      error_message: message,
    });
  };
}
