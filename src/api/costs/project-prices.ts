import type { Context } from '../../context.ts';
import type { ProjectId } from '../../contract/ids.ts';
import type { PriceBook } from '../../domain/prices/price-book.ts';

/** The prices of a project: none can be set yet. */
export async function projectPrices(_context: Context, _projectId: ProjectId): Promise<PriceBook> {
  return { at: () => null, current: () => null };
}
