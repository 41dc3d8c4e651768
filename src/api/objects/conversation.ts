import type { Context } from '../../context.ts';
import { notFound } from '../../contract/errors.ts';
import type * as contract from '../../contract/objects/conversation.ts';
import type { Handler } from '../../http/bind.ts';
import { conversationOfPrompt } from '../../services/objects/conversation-of-prompt.ts';
import { JsonText } from '../../util/json/json-text.ts';

export function objConversation({
  identity,
  services: { objects },
}: Context): Handler<typeof contract.objConversation> {
  return async ({ body, caller }) => {
    const { project_id: project, object_id: objectId, digest } = body;
    const name = { projectId: await identity.projectForRead(caller, project), objectId };
    const object = await objects.find(name, digest, { caller, withValues: true, withLabels: false });
    if (object === null || object.deletedAt !== null) throw notFound(`Obj ${objectId}:${digest} not found`);
    return new JsonText(await conversationOfPrompt(object.value ?? 'null'));
  };
}
