import type { Context } from '../../context.ts';
import type * as contract from '../../contract/labels/list-tags.ts';
import type { Handler } from '../../http/bind.ts';

export function objListTags({ identity, services: { labels } }: Context): Handler<typeof contract.objListTags> {
  return async ({ query, caller }) => {
    const projectId = await identity.projectForRead(caller, query.project_id);
    return { tags: await labels.listTags(projectId) };
  };
}
