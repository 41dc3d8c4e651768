import type { Context } from '../../context.ts';
import type * as contract from '../../contract/calls/start-v2.ts';
import type { Handler } from '../../http/bind.ts';
import { projectOfPath } from '../project.ts';
import { callStart } from './start.ts';

export function callStartV2(context: Context): Handler<typeof contract.callStartV2> {
  const start = callStart(context);
  return async (input) => {
    projectOfPath(input.params, [input.body.start.project_id]);
    return start({ ...input });
  };
}
