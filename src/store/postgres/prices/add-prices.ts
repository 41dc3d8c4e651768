import { sql } from 'kysely';
import type { Micros } from '../../../domain/calls/call-row.ts';
import type { ProjectPrice } from '../../../domain/prices/price-book.ts';
import type { Postgres } from '../postgres.ts';

/** A price to add; effective now by default. */
export type PriceToAdd = Omit<ProjectPrice, 'createdAt' | 'effectiveDate'> & { effectiveDate: Micros | null };

/**
 * Adds prices to a project. Their time is PostgreSQL's, so that the price that is added last is the newest one, whichever
 * process adds it. @returns false, without adding any, if the project would then have more than `pricesMax`.
 */
export async function addPrices(
  postgres: Postgres,
  projectId: string,
  prices: PriceToAdd[],
  pricesMax: number,
): Promise<boolean> {
  return postgres.db.transaction().execute(async (transaction) => {
    // Locks the project, so that two concurrent requests do not both find room.
    await transaction.selectFrom('projects').select('id').where('id', '=', projectId).forNoKeyUpdate().execute();
    const { count, now } = await transaction
      .selectFrom('prices')
      .select((select) => [select.fn.countAll<number>().as('count'), sql<Date>`clock_timestamp()`.as('now')])
      .where('project_id', '=', projectId)
      .executeTakeFirstOrThrow();
    if (count + prices.length > pricesMax) return false;
    for (let from = 0; from < prices.length; from += rowsPerInsert) {
      const rows = prices.slice(from, from + rowsPerInsert).map((price) => toRow(projectId, price, now));
      await transaction.insertInto('prices').values(rows).execute();
    }
    return true;
  });
}

const rowsPerInsert = 1000; // 13 parameters each: a statement has at most 65,535

function toRow(projectId: string, price: PriceToAdd, now: Date) {
  return {
    id: price.id,
    project_id: projectId,
    llm_id: price.llmId,
    provider_id: price.providerId,
    effective_date: price.effectiveDate === null ? wholeSecond(now) : new Date(price.effectiveDate / 1000),
    prompt_token_cost: price.prompt,
    completion_token_cost: price.completion,
    cache_read_input_token_cost: price.cacheRead,
    cache_creation_input_token_cost: price.cacheCreation,
    prompt_token_cost_unit: price.promptUnit,
    completion_token_cost_unit: price.completionUnit,
    created_by: price.createdBy,
    created_at: now,
  };
}

function wholeSecond(time: Date): Date {
  return new Date(Math.floor(time.getTime() / 1000) * 1000);
}
