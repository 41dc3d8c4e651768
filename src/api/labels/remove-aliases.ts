import type { Context } from '../../context.ts';
import type * as contract from '../../contract/labels/remove-aliases.ts';
import { checkAliases } from '../../domain/objects/label-names.ts';
import type { Handler } from '../../http/bind.ts';
import { removeAliases } from '../../store/postgres/labels/remove-labels.ts';

export function objRemoveAliases({ identity, postgres }: Context): Handler<typeof contract.objRemoveAliases> {
  return async ({ params: { object_id: objectId }, body: { project_id: project, aliases }, caller }) => {
    checkAliases(aliases); // so that `latest` cannot be taken away
    const projectId = await identity.projectForRead(caller, project);
    await removeAliases(postgres, { projectId, objectId }, aliases);
    return {};
  };
}
