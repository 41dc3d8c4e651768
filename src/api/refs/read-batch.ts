import type { Context } from '../../context.ts';
import type * as contract from '../../contract/refs/read-batch.ts';
import type { Handler } from '../../http/bind.ts';
import { JsonText } from '../../util/json/json-text.ts';

export function refsReadBatch({ services }: Context): Handler<typeof contract.refsReadBatch> {
  return async ({ body: { refs }, caller }) => {
    const values = await services.refs.read(caller, refs);
    return { vals: values.map((text) => new JsonText(text)) };
  };
}
