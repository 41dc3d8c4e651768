import type { Context } from '../../context.ts';
import type * as contract from '../../contract/service/projects-info.ts';
import type { Handler } from '../../http/bind.ts';

export function projectsInfo({ identity }: Context): Handler<typeof contract.projectsInfo> {
  return async ({ body, caller }) => {
    const names = [...new Set(body.project_ids)];
    const ids = await Promise.all(names.map((name) => identity.readableProject(caller, name)));
    return names.flatMap((name, index) =>
      ids[index] ? [{ external_project_id: name, internal_project_id: ids[index] }] : [],
    );
  };
}
