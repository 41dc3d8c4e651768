import type { Context } from '../../context.ts';
import type * as contract from '../../contract/tinker/session.ts';
import type { Handler } from '../../http/bind.ts';
import { ownerOf } from '../../services/owner.ts';
import { ownerForWrite } from '../project.ts';

type Deps = Pick<Context, 'identity' | 'tinker'>;

export function tinkerSessionCreate(context: Deps): Handler<typeof contract.tinkerSessionCreate> {
  return async ({ body, caller, raw }) => {
    const owner = body.project_id
      ? await ownerOf(context, caller, body.project_id, 'write')
      : await ownerForWrite(context, { caller, raw });
    const { display_name: displayName, user_metadata: userMetadata } = body;
    const { id } = context.tinker.sessions.create(owner, { displayName, userMetadata });
    const messages = { info_message: null, warning_message: null, error_message: null };
    return { type: 'create_session', session_id: id, ...messages };
  };
}

export function tinkerSessionHeartbeat({ tinker }: Deps): Handler<typeof contract.tinkerSessionHeartbeat> {
  return async ({ body, caller }) => {
    tinker.sessions.find(caller, body.session_id);
    return { type: 'session_heartbeat' };
  };
}

export function tinkerSessionFinish({ tinker }: Deps): Handler<typeof contract.tinkerSessionFinish> {
  return async ({ params, caller }) => {
    await tinker.sessions.end(tinker.sessions.find(caller, params.session_id));
    return {};
  };
}

export function tinkerSessionRead({ tinker }: Deps): Handler<typeof contract.tinkerSessionRead> {
  return async ({ params, caller }) => {
    const { runs, samplers, userMetadata, displayName } = tinker.sessions.find(caller, params.session_id);
    return {
      training_run_ids: [...runs.keys()],
      sampler_ids: [...samplers.keys()],
      user_metadata: userMetadata,
      display_name: displayName,
    };
  };
}

export function tinkerSessionList({ tinker }: Deps): Handler<typeof contract.tinkerSessionList> {
  return async ({ query, caller }) => {
    const { offset, limit } = query;
    const ids = tinker.sessions.ofUser(caller).map(({ id }) => id);
    return { sessions: ids.slice(Math.max(0, offset), Math.max(0, offset) + Math.max(0, limit)) };
  };
}
