import { z } from 'zod';
import { invalidInput } from '../../../util/failures.ts';
import { isWebUrl } from '../public-url.ts';
import { baseObject } from './base-object.ts';
import { integer } from './fields.ts';

/**
 * An endpoint that speaks the OpenAI protocol, and the name of the secret with its API key. Which addresses may be called
 * depends on the settings: `services/objects/check-provider.ts`.
 */
export const provider = baseObject('Provider', {
  base_url: z.string().transform((url) => {
    if (!isWebUrl(url)) throw invalidInput('base_url is not a valid provider URL');
    return url;
  }),
  api_key_name: z.string(),
  extra_headers: z
    .record(z.string(), z.string())
    .default({})
    .transform((headers) => {
      const refused = Object.keys(headers).find((name) => metadataHeader.test(name));
      if (refused !== undefined) throw invalidInput(`extra_headers must not hold ${refused}`);
      return headers;
    }),
  return_type: z.enum(['openai']).default('openai'),
});

export const providerModel = baseObject('ProviderModel', { provider: z.string(), max_tokens: integer() });

/** With one of these headers, a cloud machine's metadata service returns credentials. */
const metadataHeader = /^(?:metadata-flavor|x-aws-ec2-metadata-token(?:-ttl-seconds)?)$/i;
