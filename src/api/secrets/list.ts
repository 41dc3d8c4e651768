import type { Context } from '../../context.ts';
import type * as contract from '../../contract/secrets/list.ts';
import type { Handler } from '../../http/bind.ts';
import { parseProjectName } from '../../identity/names.ts';

export function secretsList({ identity, services }: Context): Handler<typeof contract.secretsList> {
  return async ({ caller, query }) => {
    const project = parseProjectName(query.project_id);
    await identity.requireMember(caller, project.entity); // the project may not exist yet
    const secrets = await services.secrets.listFor(project);
    return {
      secrets: secrets.map(({ name, project: own, hosts, updatedAt }) => ({
        name,
        scope: own === null ? 'entity' : 'project',
        hosts,
        updated_at: updatedAt.toISOString(),
      })),
    };
  };
}
