import type { ProjectId } from '../../contract/ids.ts';
import type { Caller, Identity } from '../../identity/identity.ts';
import type { ResourceNames, SpanGroup } from '../../otel/read-export.ts';
import { Failure } from '../../util/failures.ts';

/** The spans of one resource and their project. */
export type RoutedGroup = SpanGroup & { project: { id: ProjectId; name: string } };

/**
 * Finds the project of each group of spans. Groups without a project are rejected individually, with the reason.
 * @throws Failure if no group has a project.
 */
export async function routeSpans(groups: SpanGroup[], sender: Sender, refused: string[]): Promise<RoutedGroup[]> {
  const filled = groups.filter(({ spans }) => spans.length > 0);
  return routeGroups(filled, sender, ({ spans }, reason) => {
    for (const { span } of spans) refused.push(`Rejected span (name='${span.name}'): ${reason}`);
  });
}

/** Who sent an export, and the project that its header names. */
export type Sender = { identity: Identity; caller: Caller; header: string | null };

/** The same for groups of any data that belongs to a resource. */
export async function routeGroups<Group extends { resource: ResourceNames }>(
  groups: Group[],
  { identity, caller, header }: Sender,
  refuse: (group: Group, reason: string) => void,
): Promise<(Group & { project: { id: ProjectId; name: string } })[]> {
  const routed: (Group & { project: { id: ProjectId; name: string } })[] = [];
  let reason: Failure | null = null;
  for (const group of groups) {
    const name = projectOf(group.resource, header, caller.defaultEntity);
    try {
      routed.push({ ...group, project: { id: await identity.projectForWrite(caller, name), name } });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
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
