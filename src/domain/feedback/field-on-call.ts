import { unacceptable } from '../../util/failures.ts';
import { type PathStep, parseFieldPath } from '../query/field-path.ts';

/** A value of the feedback on a call, as named in queries over calls. */
export type FeedbackOnCall = {
  /** Null means every type. */
  type: string | null;
  column: 'payload' | 'runnable_ref' | 'trigger_ref';
  /** The path in the payload; empty for all of it. */
  path: PathStep[];
};

/** Parses `feedback.[TYPE].payload.PATH`. @throws Failure if it is not one */
export function parseFeedbackOnCall(field: string): FeedbackOnCall {
  const [, type, column, path] =
    /^feedback\.\[(.+?)\]\.(payload|runnable_ref|trigger_ref)(?:\.(.+))?$/s.exec(field) ?? [];
  if (type === undefined || (column !== 'payload' && path !== undefined)) {
    throw unacceptable(
      `Unknown field ${field}. Feedback is asked for as feedback.[TYPE].payload.PATH, feedback.[TYPE].runnable_ref or feedback.[TYPE].trigger_ref, with * for every type`,
    );
  }
  return {
    type: type === '*' ? null : type,
    column: column as FeedbackOnCall['column'],
    path: path === undefined ? [] : parseFieldPath(path),
  };
}
