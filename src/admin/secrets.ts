import { z } from 'zod';
import type { Identity } from '../identity/identity.ts';
import { parseProjectName } from '../identity/names.ts';
import type { SecretOwner, Secrets } from '../services/secrets/secrets.ts';
import { invalidInput } from '../util/failures.ts';

const owner = z.object({ entity: z.string().optional(), project: z.string().optional() });

export const setParams = owner.extend({ name: z.string(), value: z.string(), hosts: z.array(z.string()).optional() });
export const removeParams = owner.extend({ name: z.string() });

type Parts = { identity: Identity; secrets: Secrets };

export async function setSecret(parts: Parts, { name, value, hosts, ...given }: z.output<typeof setParams>) {
  const of = await ownerOf(parts.identity, given);
  const set = await parts.secrets.set(of, { name, value, hosts: hosts ?? null });
  return { owner: nameOf(of), hosts: set.hosts };
}

export async function listSecrets({ secrets }: Pick<Parts, 'secrets'>) {
  return (await secrets.list()).map(({ name, hosts, updatedAt, ...of }) => ({
    ...{ name, owner: nameOf(of), hosts },
    updatedAt: updatedAt.toISOString(),
  }));
}

export async function removeSecret(parts: Parts, { name, ...given }: z.output<typeof removeParams>) {
  const of = await ownerOf(parts.identity, given);
  await parts.secrets.remove(of, name);
  return { owner: nameOf(of) };
}

async function ownerOf(identity: Identity, { entity, project }: z.output<typeof owner>): Promise<SecretOwner> {
  if (project !== undefined) {
    if (entity !== undefined) throw invalidInput('Give either --entity or --project, not both.');
    return parseProjectName(project.includes('/') ? project : `${await ownEntity()}/${project}`);
  }
  return { entity: entity ?? (await ownEntity()), project: null };

  async function ownEntity(): Promise<string> {
    const found = (await identity.listUsers()).find((user) => user.isOwner)?.entities[0];
    if (found === undefined) throw invalidInput('This server has no owner yet. Set the entity with --entity.');
    return found;
  }
}

function nameOf({ entity, project }: SecretOwner): string {
  return project === null ? entity : `${entity}/${project}`;
}
