import { itemId } from '../../chat/responses/ids.ts';
import type { InputItem, ResponseInput } from '../../contract/responses/items.ts';
import type { ResponseRequest } from '../../contract/responses/request.ts';

/** The input of a request as items. */
export function inputItems(input: ResponseInput): InputItem[] {
  if (typeof input !== 'string') return input;
  return [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: input }] }];
}

/** The input of a stored response. Items that arrived without an id get a stable one. */
export function itemsOf({ id, request }: { id: string; request: Pick<ResponseRequest, 'input'> }): InputItem[] {
  return inputItems(request.input).map((item, index) => {
    const type = item.type ?? 'message';
    return { ...item, type, id: item.id ?? itemId(prefixes[type] ?? 'item', id, `i${index}`) };
  });
}

const prefixes: Record<string, string> = {
  message: 'msg',
  function_call: 'fc',
  function_call_output: 'fco',
  reasoning: 'rs',
};
