import type { Context } from '../../context.ts';
import type * as contract from '../../contract/costs/query.ts';
import { shownPriceFields } from '../../contract/costs/query.ts';
import type { ProjectPrice } from '../../domain/prices/price-book.ts';
import { priceField } from '../../domain/prices/price-field.ts';
import { parseOptionalQuery } from '../../domain/query/parse-query.ts';
import type { Handler } from '../../http/bind.ts';
import { formatTimestamp } from '../../util/timestamp.ts';
import { projectForRead } from '../project.ts';

export function costQuery(context: Context): Handler<typeof contract.costQuery> {
  return async ({ body, caller }) => {
    const { sort_by: sortBy, limit, offset } = body;
    const project = await projectForRead(context, caller, body.project_id);
    for (const name of body.fields ?? []) priceField(name, project.name); // refuses unknown ones
    const query = parseOptionalQuery(body.query);
    const prices = await context.services.costs.list(project, { query, sortBy, limit, offset });
    const shown = body.fields ? new Set(body.fields) : null;
    return { results: prices.map((price) => showPrice(price, shown)) };
  };
}

function showPrice(price: ProjectPrice, shown: Set<string> | null) {
  const fields = shownPriceFields.map((name) => {
    if (shown && !shown.has(name)) return [name, null];
    const { kind, read } = priceField(name, '');
    const value = read(price);
    return [name, kind === 'time' ? formatTimestamp(Number(value)) : value];
  });
  return Object.fromEntries(fields);
}
