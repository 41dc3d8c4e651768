import { LRUCache } from 'lru-cache';
import { newId, type ProjectId, type ProjectName } from '../contract/ids.ts';
import { openKept } from '../store/peers/kept.ts';
import type { Peers } from '../store/peers/peers.ts';
import type { Postgres } from '../store/postgres/postgres.ts';
import { forbidden, isRefusal, notFound } from '../util/failures.ts';
import { growsTo } from '../util/grows-to.ts';
import { currentScope } from '../util/request-scope.ts';
import type { Caller } from './callers.ts';
import { joinProjectName, type NameParts, parseProjectName } from './names.ts';
import { isProjectId, newProjectId } from './project-ids.ts';

type ListedProject = { id: ProjectId; entity: string; project: string; createdAt: Date };

const projectsListedMax = 2000;

/** Converts project names to ids and back, and decides who may access them. */
export type Projects = {
  /** 400: malformed name. 403: not an entity of the caller. 404: no such project. */
  projectForRead(caller: Caller, name: string): Promise<ProjectId>;
  /** Like `projectForRead`, but creates a missing project; for an owner also its entity. */
  projectForWrite(caller: Caller, name: string): Promise<ProjectId>;
  /** For strings that may name a project: null if `projectForRead` would throw. */
  readableProject(caller: Caller, name: string): Promise<ProjectId | null>;
  /** The name of a project, for any caller; null if it does not exist. */
  projectName(id: string): Promise<ProjectName | null>;
  /** The name of a project, for a caller who may read it; null otherwise. */
  readableProjectName(caller: Caller, id: string): Promise<ProjectName | null>;
  /** The result of an earlier call, without waiting; undefined says nothing about the project. */
  cachedProject(caller: Caller, name: string): ProjectId | undefined;
  cachedProjectName(id: string): ProjectName | undefined;
  /** When a project was created; null if it does not exist. */
  projectCreatedAt(id: ProjectId): Promise<Date | null>;
  /** The projects that the caller can read, the newest first; at most `projectsListedMax`. */
  readableProjects(caller: Caller): Promise<ListedProject[]>;
  /** Whether the caller may read and write the entity's projects. */
  belongsTo(caller: Caller, entity: string): Promise<boolean>;
  /** @throws Failure if the caller does not belong to the entity */
  requireMember(caller: Caller, entity: string): Promise<void>;
};

/**
 * Ids and names never change, so lookups are cached, and those of a caller until a membership ends. Code that changes this
 * must clear these maps.
 */
export function openProjects(postgres: Postgres, peers: Peers): Projects {
  const idsByCaller = openKept<ProjectId>(peers, ['memberships'], 20_000);
  const names = new LRUCache<string, ProjectName>(growsTo(20_000));
  const cacheKey = (caller: Caller, name: string) => `${caller.userId} ${name}`;

  async function resolve(caller: Caller, name: string, make: boolean): Promise<ProjectId> {
    const id = await idsByCaller.getOrRead(cacheKey(caller, name), async () => {
      const parts = parseProjectName(name);
      const entityId = await reachableEntity(postgres, caller, parts.entity, make);
      const found = entityId === null ? null : await findProject(postgres, entityId, parts, make);
      if (found !== null) names.set(found, joinProjectName(parts));
      return found;
    });
    if (id === null) throw notFound(`Project ${name} not found`);
    return id;
  }

  /** Counts the following reads of the store as the project's. */
  async function resolveForScope(caller: Caller, name: string, make: boolean): Promise<ProjectId> {
    const id = await resolve(caller, name, make);
    const scope = currentScope();
    if (scope) scope.group = id;
    return id;
  }

  async function projectName(id: string): Promise<ProjectName | null> {
    // Refs in payloads may contain any string as the project: invalid names are not looked up.
    const found = names.get(id) ?? (isProjectId(id) ? await readProjectName(postgres, id) : null);
    if (found) names.set(id, found);
    return found;
  }

  async function readableProject(caller: Caller, name: string): Promise<ProjectId | null> {
    try {
      return await resolve(caller, name, false);
    } catch (error) {
      if (isRefusal(error)) return null;
      throw error;
    }
  }

  async function belongsTo(caller: Caller, entity: string): Promise<boolean> {
    return caller.isOwner || (await membershipOf(postgres, caller, entity)) !== null;
  }

  return {
    projectForRead: (caller, name) => resolveForScope(caller, name, false),
    projectForWrite: (caller, name) => resolveForScope(caller, name, true),
    readableProject,
    projectName,
    async readableProjectName(caller, id) {
      const name = await projectName(id);
      return name && (await readableProject(caller, name)) ? name : null;
    },
    cachedProject: (caller, name) => idsByCaller.get(cacheKey(caller, name)),
    cachedProjectName: (id) => names.get(id),
    async projectCreatedAt(id) {
      const query = postgres.db.selectFrom('projects').select('created_at').where('id', '=', id);
      return (await query.executeTakeFirst())?.created_at ?? null;
    },
    readableProjects: (caller) => listProjects(postgres, caller),
    belongsTo,
    async requireMember(caller, entity) {
      if (!(await belongsTo(caller, entity))) throw forbidden();
    },
  };
}

/** The entity's id, or null if an owner names one that does not exist. Others get the same 403 in both cases. */
async function reachableEntity(postgres: Postgres, caller: Caller, entity: string, make: boolean) {
  if (caller.isOwner) return make ? ensureEntity(postgres, entity) : findEntity(postgres, entity);
  const id = await membershipOf(postgres, caller, entity);
  if (id === null) throw forbidden();
  return id;
}

async function membershipOf(postgres: Postgres, caller: Caller, entity: string): Promise<string | null> {
  const row = await postgres.db
    .selectFrom('entities')
    .innerJoin('memberships', 'memberships.entity_id', 'entities.id')
    .select('entities.id')
    .where('entities.name', '=', entity)
    .where('memberships.user_id', '=', caller.userId)
    .executeTakeFirst();
  return row?.id ?? null;
}

async function findEntity(postgres: Postgres, name: string): Promise<string | null> {
  const row = await postgres.db.selectFrom('entities').select('id').where('name', '=', name).executeTakeFirst();
  return row?.id ?? null;
}

/** The id of an entity, which is created if missing; two concurrent calls get the same id. */
export async function ensureEntity(postgres: Pick<Postgres, 'db'>, name: string): Promise<string> {
  const found = () => postgres.db.selectFrom('entities').select('id').where('name', '=', name);
  const before = await found().executeTakeFirst();
  if (before) return before.id;
  const row = { id: newId(), name };
  await postgres.db
    .insertInto('entities')
    .values(row)
    .onConflict((on) => on.column('name').doNothing())
    .execute();
  return (await found().executeTakeFirstOrThrow()).id;
}

async function findProject(postgres: Postgres, entityId: string, { project: name }: NameParts, make: boolean) {
  const found = () =>
    postgres.db.selectFrom('projects').select('id').where('entity_id', '=', entityId).where('name', '=', name);
  const before = await found().executeTakeFirst();
  if (before || !make) return (before?.id ?? null) as ProjectId | null;
  await postgres.db
    .insertInto('projects')
    .values({ id: newProjectId(), entity_id: entityId, name })
    .onConflict((on) => on.columns(['entity_id', 'name']).doNothing()) // a concurrent first write may have won
    .execute();
  return (await found().executeTakeFirstOrThrow()).id as ProjectId;
}

async function listProjects({ db }: Postgres, caller: Caller): Promise<ListedProject[]> {
  const all = db
    .selectFrom('projects')
    .innerJoin('entities', 'entities.id', 'projects.entity_id')
    .select(['projects.id', 'entities.name as entity', 'projects.name as project', 'projects.created_at as createdAt'])
    .orderBy('projects.created_at', 'desc')
    .limit(projectsListedMax);
  const own = db.selectFrom('memberships').select('entity_id').where('user_id', '=', caller.userId);
  const rows = await (caller.isOwner ? all : all.where('entities.id', 'in', own)).execute();
  return rows.map((row) => ({ ...row, id: row.id as ProjectId }));
}

async function readProjectName(postgres: Postgres, id: string): Promise<ProjectName | null> {
  const row = await postgres.db
    .selectFrom('projects')
    .innerJoin('entities', 'entities.id', 'projects.entity_id')
    .select(['entities.name as entity', 'projects.name as project'])
    .where('projects.id', '=', id)
    .executeTakeFirst();
  return row ? joinProjectName(row) : null;
}
