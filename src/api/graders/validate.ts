import type { graderValidate as endpoint } from '../../contract/graders/validate.ts';
import type { Handler } from '../../http/bind.ts';
import { checkGrader } from './check.ts';

export function graderValidate(): Handler<typeof endpoint> {
  return async ({ body: { grader } }) => {
    checkGrader(grader, 'grader');
    return { grader };
  };
}
