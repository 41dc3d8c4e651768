import type { AnnotationState } from './progress.ts';

/** Selects items of a queue. What is missing or null selects all, and so does an empty list of states. */
export type ItemsFilter = {
  id?: string | null;
  callId?: string | null;
  opName?: string | null;
  traceId?: string | null;
  addedBy?: string | null;
  /** What all annotators together have reached. */
  states?: AnnotationState[] | null;
  /** What the annotator who asks has set. */
  ownStates?: AnnotationState[] | null;
};
