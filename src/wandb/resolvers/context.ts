import { badRequest } from '../../contract/errors.ts';
import type { ProjectId } from '../../contract/ids.ts';
import type { Caller, Identity } from '../../identity/identity.ts';
import type { Services } from '../../services/services.ts';
import { Failure } from '../../util/failures.ts';

/** The services that the clients of W&B use. */
export type WandbServices = Pick<Services, 'artifacts' | 'runs' | 'signedBlobs' | 'sweeps'>;

/** The context of every resolver. */
export type GraphqlContext = WandbServices & {
  identity: Identity;
  caller: Caller;
  /** The address that the client used to reach the server. */
  address: string;
  /** The remaining number of rows that an operation may read. */
  budget: { rows: number };
};

/** Clients ask for a hundredth of it; lists within lists would multiply without a limit. */
export const rowsMax = 50_000;

/** Counts work before it begins. @throws ApiError 400 when the operation asks for too much */
export function spend({ budget }: GraphqlContext, rows: number): void {
  budget.rows -= rows;
  if (budget.rows < 0)
    throw badRequest(`The operation requests more than ${rowsMax} rows. Split it into smaller ones.`);
}

export type ProjectArguments = { name?: string | null; entityName?: string | null };

/** A project that the caller may read and write. */
export type ProjectNode = ReturnType<typeof projectNode>;

/** @returns null if the project does not exist. @throws Failure for another user's entity */
export async function readProject({ identity, caller }: GraphqlContext, args: ProjectArguments) {
  const parts = partsOf(args, caller);
  const id = await identity.projectForRead(caller, `${parts.entity}/${parts.name}`).catch((error) => {
    if (error instanceof Failure && error.kind === 'notFound') return null;
    throw error;
  });
  return id && projectNode(id, parts);
}

/** The same; a project that is missing is created. */
export async function writeProject({ identity, caller }: GraphqlContext, args: ProjectArguments): Promise<ProjectNode> {
  const parts = partsOf(args, caller);
  return projectNode(await identity.projectForWrite(caller, `${parts.entity}/${parts.name}`), parts);
}

/** The project of an id; null if the caller may not read it. */
export async function projectOf({ identity, caller }: GraphqlContext, id: ProjectId): Promise<ProjectNode | null> {
  const [entityName, name] = (await identity.readableProjectName(caller, id))?.split('/') ?? [];
  return entityName === undefined || name === undefined ? null : projectNode(id, { entity: entityName, name });
}

function partsOf({ name, entityName }: ProjectArguments, caller: Caller): { entity: string; name: string } {
  if (!name) throw badRequest('The project needs a name.');
  return { entity: entityName || caller.defaultEntity, name };
}

export function projectNode(
  id: ProjectId,
  { entity: entityName, name }: { entity: string; name: string },
  createdAt?: Date,
) {
  return {
    id,
    internalId: id,
    name,
    entityName,
    entity: entity(entityName),
    description: null,
    readOnly: false,
    isBenchmark: false,
    createdAt,
  };
}

export function entity(name: string) {
  return { id: globalId('Entity', name), name, readOnly: false, isTeam: false, xxhashDigestsEnabled: false };
}

export function globalId(type: string, id: string): string {
  return Buffer.from(`${type}:${id}`).toString('base64');
}

export type Named = { name: string };

/** The argument of a mutation. */
export type Input<Fields> = { input: Fields };

export type PageArguments = { after?: string | null; first?: number | null };

const pageMax = 1000;

/** How many elements to return: clients ask for up to 5000, and go on where a page ends. */
export function pageLimit(context: GraphqlContext, { first }: PageArguments): number {
  const limit = Math.max(1, Math.min(first ?? 50, pageMax));
  spend(context, limit);
  return limit;
}

/** A page of a list that was read with one element more than fits. `cursorOf` is where the next page begins. */
export function connection<Element, Edge extends { node: unknown }>(
  found: Element[],
  limit: number,
  { toEdge, cursorOf }: { toEdge(element: Element): Edge; cursorOf(element: Element): string },
) {
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  return {
    edges: shown.map(toEdge),
    pageInfo: { hasNextPage: found.length > limit, endCursor: last === undefined ? null : cursorOf(last) },
  };
}

/** What follows the cursor in a list that is read whole. */
export function afterCursor<Element>(all: Element[], { after }: PageArguments, cursorOf: (each: Element) => string) {
  return after ? all.slice(all.findIndex((each) => cursorOf(each) === after) + 1) : all;
}
