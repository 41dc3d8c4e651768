import { unacceptable } from '../../util/failures.ts';
import { type PathStep, parseFieldPath } from '../query/field-path.ts';

/** A value of the feedback on a call, as a query over calls names it. */
export type FeedbackOnCall = {
  /** Null stands for every type. */
  type: string | null;
  column: 'payload' | 'runnable_ref' | 'trigger_ref';
  /** In the payload; empty for all of it. */
  path: PathStep[];
};

/** Reads `feedback.[TYPE].payload.PATH`. @throws Failure where it is none */
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
