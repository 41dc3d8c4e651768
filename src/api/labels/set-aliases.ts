import type { Context } from '../../context.ts';
import { notFound } from '../../contract/errors.ts';
import type * as contract from '../../contract/labels/set-aliases.ts';
import { checkAliases } from '../../domain/objects/label-names.ts';
import type { Handler } from '../../http/bind.ts';
import { setAliases } from '../../store/postgres/labels/set-aliases.ts';

export function objSetAliases({ identity, postgres }: Context): Handler<typeof contract.objSetAliases> {
  return async ({ params: { object_id: objectId }, body: { project_id: project, digest, aliases }, caller }) => {
    checkAliases(aliases);
    const projectId = await identity.projectForRead(caller, project);
    const isSet = await setAliases(postgres, { projectId, objectId, digest }, aliases);
    if (!isSet) throw notFound(`Object version ${objectId}:${digest} not found`);
    return {};
  };
}
