import { invalidInput } from '../../util/failures.ts';

/** The kind of feedback, from its type: each kind has its own rules. */
export type FeedbackKind =
  | { kind: 'reaction' | 'note' | 'agentMonitor' | 'agentUserFeedback' | 'other' }
  /** An answer to the annotation spec of this name. */
  | { kind: 'annotation'; name: string }
  /** The output of the scorer of this name. */
  | { kind: 'runnable'; name: string };

/** @throws Failure for a type that looks like one of a kind but has no name. */
export function feedbackKind(type: string): FeedbackKind {
  const known = kinds.get(type);
  if (known) return { kind: known };
  for (const kind of ['annotation', 'runnable'] as const) {
    const prefix = `wandb.${kind}`;
    if (type.startsWith(`${prefix}.`)) return { kind, name: type.slice(prefix.length + 1) };
    if (type.startsWith(prefix)) throw invalidInput(`Invalid ${kind} feedback type: ${type}. Expected ${prefix}.NAME`);
  }
  return { kind: 'other' };
}

/** A call may have several entries of these types; a condition is true if it is true for one of them. */
export const typesWithManyEntries: ReadonlySet<string> = new Set([
  'wandb.reaction.1',
  'wandb.note.1',
  'wandb.agent_user_feedback',
]);

const kinds = new Map<string, 'reaction' | 'note' | 'agentMonitor' | 'agentUserFeedback'>([
  ['wandb.reaction.1', 'reaction'],
  ['wandb.note.1', 'note'],
  ['wandb.agent_monitor', 'agentMonitor'],
  ['wandb.agent_user_feedback', 'agentUserFeedback'],
]);
