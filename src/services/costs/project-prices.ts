import type { ProjectId } from '../../contract/ids.ts';
import { loadDefaultPrices } from '../../domain/prices/default-prices.ts';
import { openPriceBook, type PriceBook } from '../../domain/prices/price-book.ts';
import { readPrices } from '../../store/postgres/prices/read-prices.ts';
import type { Deps } from '../deps.ts';

/** The prices that currently apply in a project: its own and the server's defaults. */
export async function projectPrices(context: Pick<Deps, 'postgres'>, projectId: ProjectId): Promise<PriceBook> {
  const [own, defaultsOf] = await Promise.all([readPrices(context.postgres, projectId), loadDefaultPrices()]);
  return openPriceBook(own, defaultsOf);
}
