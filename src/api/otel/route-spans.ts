import { ApiError } from '../../contract/errors.ts';
import type { ProjectId } from '../../contract/ids.ts';
import type { Caller, Identity } from '../../identity/identity.ts';
import type { ResourceNames, SpanGroup } from '../../otel/read-export.ts';

/** The spans of one resource and the project they go to. */
export type RoutedGroup = SpanGroup & { project: { id: ProjectId; name: string } };

/**
 * Finds the project of each group. Groups that belong nowhere are refused alone, with the reason.
 * @throws ApiError 400 or 403 when not one group has a project.
 */
export async function routeSpans(
  groups: SpanGroup[],
  { identity, caller, header }: { identity: Identity; caller: Caller; header: string | null },
  refused: string[],
): Promise<RoutedGroup[]> {
  const routed: RoutedGroup[] = [];
  let reason: ApiError | null = null;
  for (const group of groups) {
    if (group.spans.length === 0) continue;
    const name = projectOf(group.resource, header, caller.defaultEntity);
    try {
      routed.push({ ...group, project: { id: await identity.projectForWrite(caller, name), name } });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      reason = error;
      for (const { span } of group.spans) {
        refused.push(`Rejected span (name='${span.name}'): project ${name}: ${error.message}`);
      }
    }
  }
  if (reason !== null && routed.length === 0) throw reason;
  return routed;
}

/** What the resource says wins over the header; where neither names a project the service does. */
function projectOf({ entity, project, service }: ResourceNames, header: string | null, defaultEntity: string): string {
  if (entity === '' && project === '' && header !== null) return header;
  return `${entity || defaultEntity}/${project || projectOfService(service)}`;
}

/** SDKs that were told no name of the service send `unknown_service`, with the program's name behind it. */
function projectOfService(service: string): string {
  if (/^unknown_service\b/.test(service)) return 'default';
  const name = service
    .replaceAll(/[/\p{Cc}]/gu, '_')
    .slice(0, 128)
    .toWellFormed();
  return name === '' ? 'default' : name;
}
