import type { Context } from '../../context.ts';
import type * as contract from '../../contract/registry/link-to-registry.ts';
import type { Handler } from '../../http/bind.ts';

export function linkToRegistry({ services: { registry } }: Context): Handler<typeof contract.linkToRegistry> {
  return async ({ body: { ref, target, aliases }, caller }) => {
    const { entity_name: entity, project_name, portfolio_name: collection } = target;
    const link = { ref, target: { entity, registry: project_name, collection }, aliases };
    return { version_index: await registry.link(link, caller) };
  };
}
