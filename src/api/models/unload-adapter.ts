import type { Context } from '../../context.ts';
import { badRequest } from '../../contract/errors.ts';
import type * as contract from '../../contract/models/unload-adapter.ts';
import type { Handler } from '../../http/bind.ts';

export function unloadAdapter({ services }: Pick<Context, 'services'>): Handler<typeof contract.unloadAdapter> {
  return async ({ body: { lora_name: name }, caller }) => {
    if (!name) throw badRequest("'lora_name' needs to be provided to unload a LoRA adapter.");
    await services.models.unloadAdapter(name, caller);
    return `Success: LoRA adapter '${name}' removed successfully.`;
  };
}
