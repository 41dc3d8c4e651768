import type { Postgres } from '../postgres.ts';

/** A secret as it is stored. */
export type SealedSecret = {
  entityId: string;
  projectId: string | null;
  name: string;
  sealed: string;
  hosts: string[];
};

/** The secret of this name that a project uses: its own, otherwise the one of its entity. */
export async function findSecret({ db }: Postgres, projectId: string, name: string): Promise<SealedSecret | null> {
  const found = await db
    .selectFrom('secrets')
    .innerJoin('projects', 'projects.entity_id', 'secrets.entity_id')
    .select(['secrets.entity_id as entityId', 'secrets.project_id as projectId', 'secrets.name'])
    .select(['secrets.sealed', 'secrets.hosts'])
    .where('projects.id', '=', projectId)
    .where('secrets.name', '=', name)
    .where((where) => where.or([where('secrets.project_id', 'is', null), where('secrets.project_id', '=', projectId)]))
    .execute();
  return found.find((secret) => secret.projectId !== null) ?? found[0] ?? null;
}

/** All secrets as they are stored. */
export function sealedSecrets({ db }: Postgres): Promise<SealedSecret[]> {
  return db
    .selectFrom('secrets')
    .select(['entity_id as entityId', 'project_id as projectId', 'name', 'sealed', 'hosts'])
    .orderBy('name')
    .execute();
}

/** All secrets without their values, with the names of their entities and projects. */
export function listSecrets(postgres: Postgres) {
  return selectListed(postgres).execute();
}

/** The secrets of a project and of its entity, without their values. */
export function listSecretsFor(postgres: Postgres, { entity, project }: { entity: string; project: string }) {
  return selectListed(postgres)
    .where('entities.name', '=', entity)
    .where((where) => where.or([where('projects.name', '=', project), where('secrets.project_id', 'is', null)]))
    .execute();
}

function selectListed({ db }: Postgres) {
  return db
    .selectFrom('secrets')
    .innerJoin('entities', 'entities.id', 'secrets.entity_id')
    .leftJoin('projects', 'projects.id', 'secrets.project_id')
    .select(['secrets.name', 'secrets.hosts', 'secrets.updated_at as updatedAt'])
    .select(['entities.name as entity', 'projects.name as project'])
    .orderBy('entities.name')
    .orderBy('projects.name')
    .orderBy('secrets.name');
}
