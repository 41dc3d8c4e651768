import type { Context } from '../../context.ts';
import type * as contract from '../../contract/labels/list-tags.ts';
import type { Handler } from '../../http/bind.ts';
import { listTags } from '../../store/postgres/labels/list-labels.ts';

export function objListTags({ identity, postgres }: Context): Handler<typeof contract.objListTags> {
  return async ({ query, caller }) => {
    const projectId = await identity.projectForRead(caller, query.project_id);
    return { tags: await listTags(postgres, projectId) };
  };
}
