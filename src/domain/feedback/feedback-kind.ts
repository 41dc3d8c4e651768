import { invalidInput } from '../../util/failures.ts';

/** What the type of feedback says of it: each kind has rules of its own. */
export type FeedbackKind =
  | { kind: 'reaction' | 'note' | 'agentMonitor' | 'agentUserFeedback' | 'other' }
  /** An answer to the annotation spec of this name. */
  | { kind: 'annotation'; name: string }
  /** The output of the scorer of this name. */
  | { kind: 'runnable'; name: string };

/** @throws Failure for a type that looks like one of a kind but names nothing. */
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

/** Of these types a call may have several entries, and a condition holds if it holds for one. */
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
