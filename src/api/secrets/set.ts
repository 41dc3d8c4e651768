import type { Context } from '../../context.ts';
import type * as contract from '../../contract/secrets/set.ts';
import type { Handler } from '../../http/bind.ts';
import { parseProjectName } from '../../identity/names.ts';

export function secretSet({ identity, services }: Context): Handler<typeof contract.secretSet> {
  return async ({ caller, body: { project_id, scope, name, value, hosts: given } }) => {
    const { entity, project } = parseProjectName(project_id);
    if (scope === 'project') await identity.projectForWrite(caller, project_id);
    else await identity.requireMember(caller, entity);
    const owner = { entity, project: scope === 'project' ? project : null };
    const { hosts } = await services.secrets.set(owner, { name, value, hosts: given });
    return { name, scope, hosts };
  };
}
