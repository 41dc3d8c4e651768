import type { ProjectId } from '../contract/ids.ts';
import { readMonitor } from '../evaluation/monitors/monitor.ts';
import type { Identity } from '../identity/identity.ts';
import type { Services } from '../services/services.ts';
import { listMonitors } from '../store/postgres/monitors/list-monitors.ts';
import { readCounts } from '../store/postgres/monitors/watched.ts';
import type { Postgres } from '../store/postgres/postgres.ts';

type Parts = { identity: Identity; services: Services; postgres: Postgres };

const dayMs = 24 * 60 * 60 * 1000;
const none = { scored: 0, notSampled: 0, overLimit: 0 };

/** All monitors, and what they did with matching calls in the last day. */
export async function describeMonitors({ identity, services, postgres }: Parts) {
  const caller = await identity.findOwner();
  if (caller === null) return [];
  const found = await listMonitors(postgres);
  return Promise.all(
    found.map(async ({ projectId, objectId, digest }) => {
      const key = { projectId: projectId as ProjectId, objectId, kind: 'object' as const };
      const version = await services.objects.find(key, digest, { caller, withValues: true });
      const project = (await identity.projectName(projectId)) ?? projectId;
      const monitor = version?.value ? readMonitor(`${project}/${objectId}`, version.value) : null;
      const status = monitor === null ? 'inactive' : 'fault' in monitor ? monitor.fault : 'active';
      const counts = (await readCounts(postgres.db, projectId, new Date(Date.now() - dayMs))).get(objectId) ?? none;
      return { project, name: objectId, status, ...counts };
    }),
  );
}
