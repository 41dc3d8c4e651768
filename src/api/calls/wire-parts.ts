import type { Complete, End, Start } from '../../contract/calls/parts.ts';
import type { NewEnd, NewStart } from '../../domain/calls/new-call.ts';

/** A start as the wire has it, with its ids made where the client sent none. */
export function readStart(start: Start, newId: () => string): NewStart {
  return startFields({ ...start, id: start.id ?? newId(), trace_id: start.trace_id ?? newId() });
}

export function readEnd(end: End): NewEnd & { id: string } {
  return { id: end.id, ...endFields(end) };
}

export function readComplete(call: Complete): NewStart & NewEnd {
  return { ...startFields(call), ...endFields(call) };
}

function startFields(start: Omit<Start, 'id' | 'trace_id'> & { id: string; trace_id: string }): NewStart {
  return {
    id: start.id,
    traceId: start.trace_id,
    opName: start.op_name,
    startedAt: start.started_at,
    attributes: start.attributes.text,
    inputs: start.inputs.text,
    displayName: start.display_name,
    parentId: start.parent_id,
    threadId: start.thread_id,
    turnId: start.turn_id,
    otelDump: start.otel_dump?.text,
    runId: start.wb_run_id,
    runStep: start.wb_run_step,
  };
}

function endFields(end: Pick<End, keyof Complete & keyof End>): NewEnd {
  return {
    endedAt: end.ended_at,
    exception: end.exception,
    output: end.output?.text,
    summary: end.summary.text,
    runStepEnd: end.wb_run_step_end,
  };
}
