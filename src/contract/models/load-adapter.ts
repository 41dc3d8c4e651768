import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { bool, optional } from '../wire.ts';

export const loadAdapter = defineEndpoint({
  method: 'POST',
  path: '/v1/load_lora_adapter',
  group: 'Served models',
  name: 'Load LoRA Adapter',
  description:
    'Serves a LoRA adapter under its own name, as vLLM does. `lora_path` is a PEFT folder on the server, in one of the ' +
    'folders of `HEDDLE_ADAPTER_FOLDERS`; it is copied. The base is the served model `base_model_name` or, without it, ' +
    "the base model in the adapter's configuration. `load_inplace` replaces an adapter of the same name.",
  errors: 'vllm',
  body: z
    .object({
      lora_name: z.string().default(''),
      lora_path: z.string().default(''),
      load_inplace: bool().default(false),
      base_model_name: optional(z.string()),
    })
    .meta({ id: 'LoadLoRAAdapterRequest' }),
  answer: { kind: 'text' },
});
