import type { Context } from '../../context.ts';
import type { callStartV2 } from '../../contract/calls/start-v2.ts';
import type { Handler } from '../../http/bind.ts';
import { projectOfPath } from '../project-of-path.ts';
import { startCall } from './start.ts';

export function startCallV2(context: Context): Handler<typeof callStartV2> {
  const start = startCall(context);
  return async (input) => {
    projectOfPath(input.params, [input.body.start.project_id]);
    return start(input);
  };
}
