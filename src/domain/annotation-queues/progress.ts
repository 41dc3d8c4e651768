import { invalidInput } from '../../util/failures.ts';

/** What an annotator can say of an item. */
export type ProgressState = (typeof progressStates)[number];
/** What is shown of an item: `unstarted` until the first annotator says something. */
export type AnnotationState = 'unstarted' | ProgressState;

const progressStates = ['completed', 'in_progress', 'skipped'] as const;

/** @throws Failure for a text that is no state an annotator can set. */
export function parseProgressState(text: string): ProgressState {
  const state = progressStates.find((each) => each === text);
  if (state) return state;
  throw invalidInput(`Invalid annotation_state '${text.slice(0, 100)}'. Must be one of: ${progressStates.join(', ')}`);
}

/**
 * Whether an annotator's step changes anything: from nothing to any state, from `in_progress` to an end. Saying the
 * same again changes nothing.
 * @throws Failure for a step that cannot be: nothing leads away from an end.
 */
export function isChange(from: AnnotationState, to: ProgressState): boolean {
  if (from === to) return false;
  if (from === 'unstarted') return true;
  if (to === 'in_progress') {
    throw invalidInput(`Cannot transition to 'in_progress' when a record already exists (its state is '${from}')`);
  }
  if (from === 'in_progress') return true;
  throw invalidInput(
    `Invalid state transition from '${from}' to '${to}'. ` +
      "Only transitions from 'in_progress' or 'unstarted' are allowed.",
  );
}

/** Whether the annotator is through with the item. */
export function isEnd(state: ProgressState): boolean {
  return state !== 'in_progress';
}
