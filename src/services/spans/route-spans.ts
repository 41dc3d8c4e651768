import type { Caller } from '../../identity/identity.ts';
import type { ResourceNames, SpanGroup } from '../../otel/read-export.ts';
import type { EventGroup } from '../../otel/read-logs.ts';
import type { SpanEventRow } from '../../store/clickhouse/spans/span-events.ts';
import { type Failure, isRefusal } from '../../util/failures.ts';
import type { Deps } from '../deps.ts';
import { ownerOf, type Project } from '../owner.ts';

/** The spans of one resource and their project. */
export type RoutedGroup = Routed<SpanGroup>;

type Routed<Group> = Group & { project: Project };

/** Who sent an export, and the project that its header names. */
export type Sender = { caller: Caller; header: string | null };

type Needed = Pick<Deps, 'identity'>;

/**
 * Finds the project of each group of spans. Groups without a project are rejected individually, with the reason.
 * @throws Failure if no group has a project.
 */
export async function routeSpans(
  needed: Needed,
  groups: SpanGroup[],
  sender: Sender,
): Promise<{ routed: RoutedGroup[]; refused: string[] }> {
  const refused: string[] = [];
  const filled = groups.filter(({ spans }) => spans.length > 0);
  const routed = await routeGroups(needed, filled, sender, ({ spans }, reason) => {
    for (const { span } of spans) refused.push(`Rejected span (name='${span.name}'): ${reason}`);
  });
  return { routed, refused };
}

/** The same for groups of events; the number of rejected events, and the reason for each group. */
export async function routeEvents(
  needed: Needed,
  groups: EventGroup[],
  sender: Sender,
): Promise<{ rows: SpanEventRow[]; refused: number; reasons: string[] }> {
  const reasons: string[] = [];
  let refused = 0;
  const filled = groups.filter(({ events }) => events.length > 0);
  const routed = await routeGroups(needed, filled, sender, ({ events }, reason) => {
    refused += events.length;
    reasons.push(reason);
  });
  const rows = routed.flatMap(({ project, events }) => events.map((event) => ({ projectId: project.id, ...event })));
  return { rows, refused, reasons };
}

async function routeGroups<Group extends { resource: ResourceNames }>(
  { identity }: Needed,
  groups: Group[],
  { caller, header }: Sender,
  refuse: (group: Group, reason: string) => void,
): Promise<Routed<Group>[]> {
  const routed: Routed<Group>[] = [];
  let reason: Failure | null = null;
  for (const group of groups) {
    const name = projectOf(group.resource, header, caller.defaultEntity);
    try {
      routed.push({ ...group, project: (await ownerOf({ identity }, caller, name, 'write')).project });
    } catch (error) {
      if (!isRefusal(error)) throw error;
      reason = error;
      refuse(group, `project ${name}: ${error.message}`);
    }
  }
  if (reason !== null && routed.length === 0) throw reason;
  return routed;
}

/** The header in which Weave's clients name a project. */
export function projectHeader(headers: Record<string, string | string[] | undefined>): string | null {
  return [headers.project_id, headers['project-id']].flat().find(Boolean) ?? null;
}

/** The resource takes precedence over the header; if neither names a project, the service's name is used. */
function projectOf({ entity, project, service }: ResourceNames, header: string | null, defaultEntity: string): string {
  if (entity === '' && project === '' && header !== null) return header;
  return `${entity || defaultEntity}/${project || projectOfService(service)}`;
}

/** SDKs without a configured service name send `unknown_service`, followed by the program's name. */
function projectOfService(service: string): string {
  if (/^unknown_service\b/.test(service)) return 'default';
  const name = service
    .replaceAll(/[/\p{Cc}]/gu, '_')
    .slice(0, 128)
    .toWellFormed();
  return name === '' ? 'default' : name;
}
