import type { Context } from '../../context.ts';
import type { tagsList } from '../../contract/labels/list-tags.ts';
import type { Handler } from '../../http/bind.ts';
import { listTags } from '../../store/postgres/labels/list-labels.ts';

export function showTags({ identity, postgres }: Context): Handler<typeof tagsList> {
  return async ({ query, caller }) => {
    const projectId = await identity.projectForRead(caller, query.project_id);
    return { tags: await listTags(postgres, projectId) };
  };
}
