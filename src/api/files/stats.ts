import type { Context } from '../../context.ts';
import type { filesStats } from '../../contract/files/stats.ts';
import type { Handler } from '../../http/bind.ts';
import { sumFiles } from '../../store/postgres/files/sum-files.ts';

export function measureFiles({
  identity,
  postgres,
}: Pick<Context, 'identity' | 'postgres'>): Handler<typeof filesStats> {
  return async ({ body, caller }) => {
    const projectId = await identity.projectForRead(caller, body.project_id);
    return { total_size_bytes: await sumFiles(postgres, projectId) };
  };
}
