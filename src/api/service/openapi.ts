import { endpoints } from '../../contract/endpoints.ts';
import type * as contract from '../../contract/service/openapi.ts';
import type { Handler } from '../../http/bind.ts';
import { openapiDocument } from '../../http/openapi.ts';

/** The document is made once, when it is first asked for. */
export function openapi(): Handler<typeof contract.openapi> {
  let document: Record<string, unknown> | undefined;
  return async () => {
    document ??= openapiDocument(endpoints);
    return document;
  };
}
