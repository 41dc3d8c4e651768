import type { Context } from '../../context.ts';
import type * as contract from '../../contract/projects/list.ts';
import type { Handler } from '../../http/bind.ts';
import { formatTimestamp } from '../../util/timestamp.ts';

export function projectsList({ services }: Context): Handler<typeof contract.projectsList> {
  return async ({ caller }) => {
    const projects = await services.projects.list(caller);
    return {
      projects: projects.map(({ entity, project, createdAt, lastTraceAt, dailyTraces, dailyErrors }) => ({
        project_id: `${entity}/${project}`,
        entity,
        project,
        created_at: createdAt.toISOString(),
        last_trace_at: lastTraceAt === null ? null : formatTimestamp(lastTraceAt),
        daily_traces: dailyTraces,
        daily_errors: dailyErrors,
      })),
    };
  };
}
