import type { Context } from '../../context.ts';
import type * as contract from '../../contract/secrets/remove.ts';
import type { Handler } from '../../http/bind.ts';
import { parseProjectName } from '../../identity/names.ts';

export function secretRemove({ identity, services }: Context): Handler<typeof contract.secretRemove> {
  return async ({ caller, params: { name }, query: { project_id, scope } }) => {
    const { entity, project } = parseProjectName(project_id);
    await identity.requireMember(caller, entity);
    await services.secrets.remove({ entity, project: scope === 'project' ? project : null }, name);
    return { success: true };
  };
}
