import type { ProjectPrice } from '../../../domain/prices/price-book.ts';
import type { Postgres } from '../postgres.ts';

/** All prices of a project, in order of creation. */
export async function readPrices(postgres: Postgres, projectId: string): Promise<ProjectPrice[]> {
  const rows = await postgres.db
    .selectFrom('prices')
    .selectAll()
    .where('project_id', '=', projectId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    llmId: row.llm_id,
    prompt: row.prompt_token_cost,
    completion: row.completion_token_cost,
    cacheRead: row.cache_read_input_token_cost,
    cacheCreation: row.cache_creation_input_token_cost,
    promptUnit: row.prompt_token_cost_unit,
    completionUnit: row.completion_token_cost_unit,
    level: 'project',
    providerId: row.provider_id,
    effectiveDate: row.effective_date.getTime() * 1000,
    createdBy: row.created_by,
    createdAt: row.created_at.getTime() * 1000,
  }));
}
