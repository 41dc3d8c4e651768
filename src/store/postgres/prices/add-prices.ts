import type { ProjectPrice } from '../../../domain/prices/price-book.ts';
import type { Postgres } from '../postgres.ts';

/** Adds prices to a project. @returns false, without adding any, if it would then have more than `pricesMax`. */
export async function addPrices(
  postgres: Postgres,
  projectId: string,
  prices: ProjectPrice[],
  pricesMax: number,
): Promise<boolean> {
  return postgres.db.transaction().execute(async (transaction) => {
    // Locks the project, so that two concurrent requests do not both find room.
    await transaction.selectFrom('projects').select('id').where('id', '=', projectId).forNoKeyUpdate().execute();
    const { count } = await transaction
      .selectFrom('prices')
      .select((select) => select.fn.countAll<number>().as('count'))
      .where('project_id', '=', projectId)
      .executeTakeFirstOrThrow();
    if (count + prices.length > pricesMax) return false;
    for (let from = 0; from < prices.length; from += rowsPerInsert) {
      const rows = prices.slice(from, from + rowsPerInsert).map((price) => toRow(projectId, price));
      await transaction.insertInto('prices').values(rows).execute();
    }
    return true;
  });
}

const rowsPerInsert = 1000; // 13 parameters each: a statement has at most 65,535

function toRow(projectId: string, price: ProjectPrice) {
  return {
    id: price.id,
    project_id: projectId,
    llm_id: price.llmId,
    provider_id: price.providerId,
    effective_date: new Date(price.effectiveDate / 1000),
    prompt_token_cost: price.prompt,
    completion_token_cost: price.completion,
    cache_read_input_token_cost: price.cacheRead,
    cache_creation_input_token_cost: price.cacheCreation,
    prompt_token_cost_unit: price.promptUnit,
    completion_token_cost_unit: price.completionUnit,
    created_by: price.createdBy,
    created_at: new Date(price.createdAt / 1000),
  };
}
