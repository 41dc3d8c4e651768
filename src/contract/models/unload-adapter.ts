import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { int, optional } from '../wire.ts';

export const unloadAdapter = defineEndpoint({
  method: 'POST',
  path: '/v1/unload_lora_adapter',
  group: 'Served models',
  name: 'Unload LoRA Adapter',
  description:
    'Stops serving an adapter, as vLLM does. Requests that go through it are finished. Only who loaded it, and the owner ' +
    'of the server, may do this. `lora_int_id` is ignored.',
  errors: 'vllm',
  body: z
    .object({ lora_name: z.string().default(''), lora_int_id: optional(int()) })
    .meta({ id: 'UnloadLoRAAdapterRequest' }),
  answer: { kind: 'text' },
});
