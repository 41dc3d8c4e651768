/**
 * Which calls a client means, in the words of its request, which errors and saved views repeat. The members are joined with
 * AND, the entries of one list with OR; null does not filter.
 */
export type CallsFilter = {
  op_names: string[] | null;
  input_refs: string[] | null;
  output_refs: string[] | null;
  parent_ids: string[] | null;
  trace_ids: string[] | null;
  call_ids: string[] | null;
  thread_ids: string[] | null;
  turn_ids: string[] | null;
  trace_roots_only: boolean | null;
  /** Root calls and, of each trace whose root is not here, its topmost call. */
  topmost_calls_only: boolean | null;
  /** The turns of threads: calls whose `turn_id` is their own id, and topmost calls that have a thread and no turn. */
  turns_only: boolean | null;
  wb_user_ids: string[] | null;
  wb_run_ids: string[] | null;
};

export const noFilter: CallsFilter = {
  op_names: null,
  input_refs: null,
  output_refs: null,
  parent_ids: null,
  trace_ids: null,
  call_ids: null,
  thread_ids: null,
  turn_ids: null,
  trace_roots_only: null,
  topmost_calls_only: null,
  turns_only: null,
  wb_user_ids: null,
  wb_run_ids: null,
};
