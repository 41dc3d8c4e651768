import type { BatchedInserter } from '../batched-inserter.ts';
import { insertLine } from '../rows/insert-line.ts';

/** A span of an agent as stored in `agent_spans`; times are microseconds since 1970, the empty string means unset. */
export type AgentSpanRow = {
  projectId: string;
  startedAt: number;
  traceId: string;
  spanId: string;
  version: number;
  parentId: string;
  name: string;
  endedAt: number | null;
  agentName: string;
  agentId: string;
  conversationId: string;
  wbUserId: string;
  raw: string;
};

/** Resolves when the spans are durable. If a span is sent again, the copy that ended last wins, or else the later one. */
export async function insertAgentSpans(inserter: BatchedInserter, rows: AgentSpanRow[]): Promise<void> {
  if (rows.length > 0) await inserter.insert('agent_spans', rows.map(toInsertLine).join(''));
}

function toInsertLine(row: AgentSpanRow): string {
  return insertLine('agent_spans', {
    project_id: row.projectId,
    started_at: row.startedAt,
    trace_id: row.traceId,
    span_id: row.spanId,
    version: row.version,
    parent_id: row.parentId,
    name: row.name,
    ended_at: row.endedAt,
    agent_name: row.agentName,
    agent_id: row.agentId,
    conversation_id: row.conversationId,
    wb_user_id: row.wbUserId,
    raw: row.raw,
  });
}
