import type { Caller, Identity } from '../identity/identity.ts';
import { readActivity } from '../store/clickhouse/read-project-activity.ts';
import type { Deps } from './deps.ts';

type ListedProject = Awaited<ReturnType<Identity['readableProjects']>>[number];

type ActiveProject = ListedProject & {
  /** Microseconds since 1970; null without traces. */
  lastTraceAt: number | null;
  /** One for each of the last `activityDays` days, oldest first. */
  dailyTraces: number[];
  dailyErrors: number[];
};

export type ProjectActivity = {
  /** The projects that a caller can read, last active first. */
  list(caller: Caller): Promise<ActiveProject[]>;
};

const activityDays = 14;
const dayMs = 86_400_000;

export function openProjectActivity({ clickhouse, identity }: Pick<Deps, 'clickhouse' | 'identity'>): ProjectActivity {
  return {
    async list(caller) {
      const projects = await identity.readableProjects(caller);
      const today = Math.floor(Date.now() / dayMs);
      const since = (today - activityDays + 1) * dayMs * 1000;
      const projectIds = projects.map(({ id }) => id);
      const activities = await readActivity(clickhouse, { projectIds, since, days: activityDays });
      const byId = new Map(activities.map((activity) => [activity.projectId, activity]));
      const none = Array<number>(activityDays).fill(0);
      const active = projects.map((project) => {
        const activity = byId.get(project.id);
        return {
          ...project,
          lastTraceAt: activity?.lastTraceAt ?? null,
          dailyTraces: activity?.traces ?? none,
          dailyErrors: activity?.errors ?? none,
        };
      });
      return active.sort((a, b) => lastActiveMs(b) - lastActiveMs(a));
    },
  };
}

function lastActiveMs({ lastTraceAt, createdAt }: ActiveProject): number {
  return lastTraceAt === null ? createdAt.getTime() : lastTraceAt / 1000;
}
