import type { Context } from '../../context.ts';
import { badRequest } from '../../contract/errors.ts';
import type * as contract from '../../contract/models/load-adapter.ts';
import type { Handler } from '../../http/bind.ts';

export function loadAdapter({ services }: Pick<Context, 'services'>): Handler<typeof contract.loadAdapter> {
  return async ({ body, caller }) => {
    const { lora_name: name, lora_path: folder, load_inplace: replaces, base_model_name: base } = body;
    if (!name || !folder) throw badRequest("Both 'lora_name' and 'lora_path' must be provided.");
    await services.models.loadAdapter({ name, folder, replaces, base: base || null }, caller);
    return `Success: LoRA adapter '${name}' added successfully.`;
  };
}
