import type { Context } from '../../context.ts';
import { type costQuery, shownPriceFields } from '../../contract/costs/query.ts';
import type { ProjectPrice } from '../../domain/prices/price-book.ts';
import { priceField } from '../../domain/prices/price-field.ts';
import { selectPrices } from '../../domain/prices/select-prices.ts';
import { parseOptionalQuery } from '../../domain/query/parse-query.ts';
import type { Handler } from '../../http/bind.ts';
import { readPrices } from '../../store/postgres/prices/read-prices.ts';
import { formatTimestamp } from '../../util/timestamp.ts';

export function queryCosts({ identity, postgres }: Context): Handler<typeof costQuery> {
  return async ({ body, caller }) => {
    const projectId = await identity.projectForRead(caller, body.project_id);
    for (const name of body.fields ?? []) priceField(name, body.project_id); // refuses unknown ones
    const query = parseOptionalQuery(body.query);
    const select = selectPrices({ ...body, query, sortBy: body.sort_by }, body.project_id);
    const shown = body.fields ? new Set(body.fields) : null;
    return { results: select(await readPrices(postgres, projectId)).map((price) => showPrice(price, shown)) };
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
