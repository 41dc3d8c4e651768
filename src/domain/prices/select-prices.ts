import { compareValues } from '../query/in-memory/compare-fields.ts';
import { rowTest } from '../query/in-memory/row-test.ts';
import type { Operation } from '../query/operation.ts';
import { checkPage, type Page } from '../query/page.ts';
import { checkCount, queryLimits } from '../query/query-limits.ts';
import type { SortBy } from '../query/sort-by.ts';
import type { ProjectPrice } from './price-book.ts';
import { priceField } from './price-field.ts';

export type PriceSelection = Page & { query: Operation | null; sortBy: SortBy[] | null };

/**
 * Filters, sorts and pages a project's prices in memory, since they are few. Without an order they keep theirs.
 * @throws Failure for an invalid query, order, limit or offset, even if there are no prices.
 */
export function selectPrices(
  { query, sortBy, limit, offset }: PriceSelection,
  projectName: string,
): (prices: ProjectPrice[]) => ProjectPrice[] {
  checkPage({ limit, offset });
  checkCount('fields in its sort_by', sortBy?.length ?? 0, queryLimits.sortFields);
  const field = (name: string) => priceField(name, projectName);
  const matches = query ? rowTest(query, field) : () => true;
  const compare = orderOf((sortBy ?? []).map(({ field: name, direction }) => ({ field: field(name), direction })));
  return (prices) => {
    const found = prices.filter(matches).sort(compare);
    const from = offset ?? 0;
    return found.slice(from, limit === null ? undefined : from + limit);
  };
}

type Term = { field: ReturnType<typeof priceField>; direction: 'asc' | 'desc' };

function orderOf(terms: Term[]): (a: ProjectPrice, b: ProjectPrice) => number {
  return (a, b) => {
    for (const { field, direction } of terms) {
      const order = compareValues(field.read(a)!, field.read(b)!); // prices have all their fields
      if (order !== 0) return direction === 'asc' ? order : -order;
    }
    return 0;
  };
}
