import { checkAliases } from '../domain/objects/label-names.ts';
import { parseRef } from '../domain/refs.ts';
import type { Caller } from '../identity/identity.ts';
import { nameFault } from '../identity/names.ts';
import { findVersion } from '../store/postgres/objects/find-version.ts';
import { linkVersion } from '../store/postgres/registry/link-version.ts';
import { listLinks, type RegistryLine } from '../store/postgres/registry/list-links.ts';
import { invalidInput, notFound } from '../util/failures.ts';
import type { Deps } from './deps.ts';

/** The target of a link: a collection of a registry of an entity. */
type RegistryTarget = { entity: string; registry: string; collection: string };

/** Collections of object versions that an entity shares between its projects. */
export type Registry = {
  /**
   * Links a version of an object, and moves the aliases to it.
   * @returns its index in the collection, the same again for a version that is already linked
   * @throws Failure for an invalid ref or name, and for objects that the caller may not use
   */
  link(link: { ref: string; target: RegistryTarget; aliases: string[] }, caller: Caller): Promise<number>;
  /** All links of all entities, for the owner of the server. */
  list(): Promise<RegistryLine[]>;
};

const aliasesMax = 100;

export function openRegistry({ postgres, identity }: Pick<Deps, 'postgres' | 'identity'>): Registry {
  return {
    async link({ ref, target, aliases }, caller) {
      const parsed = parseRef(ref);
      if (parsed?.kind !== 'object' || parsed.steps.length > 0) {
        throw invalidInput(
          `ref must be the ref of an object, such as weave:///entity/project/object/name:digest (found ${shown(ref)}).`,
        );
      }
      const { entity, registry, collection } = target;
      const fault = nameFault('registry', registry) ?? nameFault('collection', collection);
      if (fault) throw invalidInput(fault);
      if (aliases.length > aliasesMax)
        throw invalidInput(`A link can have at most ${aliasesMax} aliases (found ${aliases.length}).`);
      checkAliases(aliases);
      await identity.requireMember(caller, entity);
      const projectId = await identity.projectForRead(caller, `${parsed.entity}/${parsed.project}`);
      const name = { projectId, objectId: parsed.name, kind: 'object' as const };
      const version = await findVersion(postgres, name, parsed.digest);
      if (version === null || version.deletedAt !== null) throw notFound(`Object ${shown(ref)} not found.`);
      const found = await postgres.db.selectFrom('entities').select('id').where('name', '=', entity).executeTakeFirst();
      if (!found) throw notFound(`There is no entity ${entity}.`);
      return linkVersion(postgres, {
        collection: { entityId: found.id, registry, name: collection },
        version: { projectId, objectId: parsed.name, digest: version.digest },
        userId: caller.userId,
        aliases,
      });
    },

    list: () => listLinks(postgres),
  };
}

function shown(text: string): string {
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
}
