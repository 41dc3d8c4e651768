import { openRlFromCalls, type RlFromCalls, type RlFromCallsDeps } from './rl-from-calls.ts';
import { openSftFromCalls, type SftFromCalls } from './sft-from-calls.ts';

/** Training on chats that are in the trace store: a preview prepares them as the job would, and the job trains on these. */
export type TrainingFromCalls = { rl: RlFromCalls; sft: SftFromCalls };

export function openTrainingFromCalls(deps: RlFromCallsDeps): TrainingFromCalls {
  return { rl: openRlFromCalls(deps), sft: openSftFromCalls(deps) };
}
