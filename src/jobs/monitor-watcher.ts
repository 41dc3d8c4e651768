import { LRUCache } from 'lru-cache';
import type { ProjectId } from '../contract/ids.ts';
import { matchingCalls } from '../evaluation/monitors/match-calls.ts';
import { isSampled, readMonitor } from '../evaluation/monitors/monitor.ts';
import type { Identity } from '../identity/identity.ts';
import type { Project } from '../services/owner.ts';
import type { Services } from '../services/services.ts';
import { findEndedCalls } from '../store/clickhouse/calls/find/find-ended-calls.ts';
import type { ClickHouse } from '../store/clickhouse/clickhouse.ts';
import type { Peers } from '../store/peers/peers.ts';
import { listMonitors, type MonitorVersion } from '../store/postgres/monitors/list-monitors.ts';
import { deleteCursor, readCounts, readCursor, type WatchCursor } from '../store/postgres/monitors/watched.ts';
import type { Postgres } from '../store/postgres/postgres.ts';
import { clockSkewMs } from '../util/clock-skew.ts';
import { isRefusal } from '../util/failures.ts';
import { growsTo } from '../util/grows-to.ts';
import { nowMicroseconds } from '../util/timestamp.ts';
import type { Jobs } from './jobs.ts';
import { type Pass, recordPass, type Watcher } from './scoring-pass.ts';

type Deps = {
  clickhouse: ClickHouse;
  postgres: Postgres;
  identity: Identity;
  peers: Peers;
  services: Pick<Services, 'calls' | 'objects'>;
  jobs: Jobs;
};

type Options = {
  /** Calls that a monitor scores in an hour. */
  callsPerHourMax: number;
  onError(error: unknown, message: string): void;
  everyMs?: number;
  /** Of a process that is alone: inserts that are running may still bring calls of the last moments. */
  settledMs?: number;
};

/** An active monitor, and the user it runs as. */
type Watching = Watcher & { createdAt: Date };

/** Calls that took longer than this are not watched. */
const longestMs = 24 * 60 * 60 * 1000;
const callsPerPass = 1000;
const hourMs = 60 * 60 * 1000;
/** How long after the end of a process another one watches. */
const leaseMs = 10_000;

/**
 * Watches the calls of projects that have active monitors. Each pass reads the calls that have ended since the last one,
 * and adds jobs that score those that match. The place of the last call, the counts and the jobs are stored in one
 * transaction: after a crash, no call is left out or scored twice.
 */
export function startMonitorWatcher(deps: Deps, options: Options): { close(): Promise<void> } {
  const known = new LRUCache<string, { monitor: ReturnType<typeof readMonitor> }>({ max: 10_000 });
  /** Calls are written again after their end, such as when one becomes or ceases to be the topmost call of its trace. */
  const dispatched = new LRUCache<string, true>(growsTo(100_000));
  const { everyMs = 5000, settledMs = 3000 } = options;
  let closed = false;
  let passing: Promise<void> | null = null;
  const timer = setInterval(() => {
    passing ??= pass().finally(() => {
      passing = null;
    });
  }, everyMs).unref();
  return {
    async close() {
      closed = true;
      clearInterval(timer);
      await passing;
    },
  };

  async function pass(): Promise<void> {
    try {
      const lease = await deps.peers.lease('watching for monitors', leaseMs);
      if (lease !== null) await watchAll(lease.isHeld).finally(() => lease.release());
    } catch (error) {
      report(error);
    }
  }

  async function watchAll(isHeld: () => boolean): Promise<void> {
    const byProject = Map.groupBy(await listMonitors(deps.postgres), ({ projectId }) => projectId);
    for (const [projectId, versions] of byProject)
      await watchProject(projectId as ProjectId, versions, isHeld).catch(report);
  }

  function report(error: unknown): void {
    if (!closed) options.onError(error, 'reading calls for monitors failed and will be retried');
  }

  async function watchProject(id: ProjectId, versions: MonitorVersion[], isHeld: () => boolean): Promise<void> {
    const name = await deps.identity.projectName(id);
    if (name === null) return;
    const monitors = await activeMonitors({ id, name }, versions);
    const { db } = deps.postgres;
    const now = nowMicroseconds();
    const { isAlone, numbers } = deps.peers;
    const writtenBefore = isAlone ? now - settledMs * 1000 : (await numbers.settled()) + 1;
    const cursor = await readCursor(db, id);
    if (monitors.length === 0) {
      // The next one to be activated scores what ends from then on.
      if (cursor !== null) await deleteCursor(db, id);
      return;
    }
    for (let before = cursor; !closed && isHeld(); ) {
      const startedAfter = now - longestMs * 1000;
      const place = before === null ? firstPlace(monitors, isAlone) : { after: before, endedAfter: 0 };
      const window = { projectId: id, startedAfter, ...place, writtenBefore, limit: callsPerPass };
      const ended = await findEndedCalls(deps.clickhouse, window);
      if (ended.length === 0) {
        const last = { version: writtenBefore, callId: '' };
        if (before === null && !isAlone) await dispatch({ id, name }, [], [], { before, last });
        return;
      }
      const last = { version: Number(ended.at(-1)!.version), callId: ended.at(-1)!.callId };
      const ids = ended.map(({ callId }) => callId).filter((callId) => !dispatched.get(`${id}/${callId}`));
      if (!(await dispatch({ id, name }, ids.length > 0 ? monitors : [], ids, { before, last }))) return;
      before = last;
      for (const callId of ids) dispatched.set(`${id}/${callId}`, true);
      if (ended.length < callsPerPass) return;
    }
  }

  async function activeMonitors(project: Project, versions: MonitorVersion[]): Promise<Watching[]> {
    const found: Watching[] = [];
    for (const { objectId, digest, userId, createdAt } of versions) {
      const owner = userId ?? (await deps.identity.findOwner())?.userId;
      const caller = owner === undefined ? null : await deps.identity.findCaller(owner);
      if (caller === null) continue;
      const ref = `weave:///${project.name}/object/${objectId}:${digest}`;
      let monitor = known.get(ref)?.monitor;
      if (monitor === undefined) {
        const key = { projectId: project.id, objectId, kind: 'object' as const };
        const version = await deps.services.objects.find(key, digest, { caller, withValues: true });
        monitor = version?.value ? readMonitor(ref, version.value) : null;
        known.set(ref, { monitor });
        if (monitor !== null && 'fault' in monitor) options.onError(new Error(monitor.fault), `${ref} cannot be used`);
      }
      if (monitor !== null && !('fault' in monitor))
        found.push({ ...monitor, objectId, userId: caller.userId, createdAt });
    }
    return found;
  }

  /** @returns false, without adding jobs, if another process has read these calls */
  async function dispatch(
    project: Project,
    monitors: Watching[],
    ids: string[],
    { before, last }: { before: WatchCursor | null; last: WatchCursor },
  ): Promise<boolean> {
    const hour = new Date(Math.floor(Date.now() / hourMs) * hourMs);
    const counted = await readCounts(deps.postgres.db, project.id, hour);
    const passes: Pass[] = [];
    for (const monitor of monitors) {
      const matching = await matchingCalls(deps.services, project, monitor, ids).catch((error) => {
        if (!isRefusal(error)) throw error;
        options.onError(error, `${monitor.ref} cannot be used`);
        return [];
      });
      const sampled = matching.filter((callId) => isSampled(monitor, callId));
      const left = Math.max(options.callsPerHourMax - (counted.get(monitor.objectId)?.scored ?? 0), 0);
      const callIds = sampled.slice(0, left);
      const notSampled = matching.length - sampled.length;
      const counts = { scored: callIds.length, notSampled, overLimit: sampled.length - callIds.length };
      if (matching.length > 0) passes.push({ monitor, callIds, counts });
    }
    return recordPass(deps, project, { before, last, hour, passes });
  }
}

/**
 * Where a project without a stored place begins: with its first active monitor, but not with calls of long ago. Only what a process
 * writes alone has times as versions. Beside others, the time is the end of a call by the clock of whoever wrote it. A place is
 * then stored even if there are no calls yet: those that are still on their way may appear when their end is long ago.
 */
function firstPlace(monitors: Watching[], isAlone: boolean): { after: WatchCursor; endedAfter: number } {
  const activatedAt = Math.min(...monitors.map(({ createdAt }) => createdAt.getTime()));
  const from = Math.max(activatedAt, Date.now() - firstWindowMs) * 1000;
  return isAlone
    ? { after: { version: from, callId: '' }, endedAfter: 0 }
    : { after: { version: 0, callId: '' }, endedAfter: from - clockSkewMs * 1000 };
}

const firstWindowMs = 60_000;
