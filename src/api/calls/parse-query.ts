import type * as contract from '../../contract/calls/parse-query.ts';
import { parseOptionalQuery } from '../../domain/query/parse-query.ts';
import { queryJson } from '../../domain/query/query-json.ts';
import { parseSearchText } from '../../domain/query/text-query.ts';
import type { Handler } from '../../http/bind.ts';
import { JsonText } from '../../util/json/json-text.ts';

export function callsParseQuery(): Handler<typeof contract.callsParseQuery> {
  return async ({ body }) => {
    const query = new JsonText(queryJson(parseSearchText(body.text)));
    parseOptionalQuery(query); // reports a query that has too many conditions
    return { query };
  };
}
