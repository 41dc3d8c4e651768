import { invalidInput } from '../../util/failures.ts';

/** The states that an annotator can set on an item. */
export type ProgressState = (typeof progressStates)[number];
/** The displayed state of an item: `unstarted` until the first annotator sets one. */
export type AnnotationState = 'unstarted' | ProgressState;

const progressStates = ['completed', 'in_progress', 'skipped'] as const;

/** @throws Failure for a string that is not a state an annotator can set. */
export function parseProgressState(text: string): ProgressState {
  const state = progressStates.find((each) => each === text);
  if (state) return state;
  throw invalidInput(`Invalid annotation_state '${text.slice(0, 100)}'. Must be one of: ${progressStates.join(', ')}`);
}

/**
 * Whether an annotator's action changes anything: from no state to any state, or from `in_progress` to a final one.
 * Setting the same state again changes nothing.
 * @throws Failure for an invalid transition: final states cannot be left.
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

/** Whether the annotator has finished the item. */
export function isEnd(state: ProgressState): boolean {
  return state !== 'in_progress';
}
