import { z } from 'zod';

/** The JSON answers of a Tinker server, as far as heddle reads them. */

export const capabilitiesAnswer = z.object({
  supported_models: z.array(z.object({ model_name: z.string().nullish(), max_context_length: z.number().nullish() })),
});

export const sessionAnswer = z.object({ session_id: z.string() });

/** A request was accepted; its result comes later. */
export const futureAnswer = z.object({ request_id: z.coerce.string(), model_id: z.string().nullish() });

export const createdAnswer = z.object({ model_id: z.string().nullish() });

export const savedAnswer = z.object({ path: z.string() });

/** A metric that is not a number arrives as null or as text. */
export const stepAnswer = z.object({
  metrics: z.record(z.string(), z.union([z.number(), z.string(), z.null()])).nullish(),
});

/** The JSON form of `ForwardBackwardOutput`. */
export const outputAnswer = z.object({
  loss_fn_outputs: z.array(z.object({ logprobs: z.object({ data: z.array(z.number().nullable()) }) })),
});

/** Instead of a result. */
export const otherwise = z.object({
  type: z.string().nullish(),
  error: z.string().nullish(),
  category: z.string().nullish(),
});
