import type { Context } from '../../context.ts';
import type * as contract from '../../contract/calls/conversations.ts';
import type { Handler } from '../../http/bind.ts';
import { projectForRead } from '../project.ts';

export function callsConversations(context: Context): Handler<typeof contract.callsConversations> {
  return async ({ body, caller }) => {
    const project = await projectForRead(context, caller, body.project_id);
    const pages = await context.services.calls.conversations(project, body.call_ids);
    return (async function* lines() {
      for await (const page of pages) yield page.map((line) => `${line}\n`).join('');
    })();
  };
}
