import type { Embeddings, EmbeddingsHostRequest } from '../../../chat/types.ts';
import { allOrNone } from '../../../util/all-or-none.ts';
import { embedAtServers } from '../engine/embed-at-servers.ts';
import type { VllmServers } from '../servers/vllm-servers.ts';

type At = { servers: Pick<VllmServers, 'embed'>; model: string; adapter: string | null };

/** Embeds texts or ids, of which servers make tokens: all, or none. @throws Failure */
export async function embedTexts(
  { servers, model, adapter }: At,
  { inputs, addsSpecialTokens, truncate, normalizes, priority }: EmbeddingsHostRequest,
  signal: AbortSignal,
): Promise<Embeddings> {
  const more = {
    add_special_tokens: addsSpecialTokens,
    ...(truncate === null ? {} : { truncate_prompt_tokens: truncate, truncation_side: 'left' }),
  };
  const asked = { model, adapter, normalizes, priority, more };
  const texts = await allOrNone(
    inputs,
    (input, either) => embedAtServers(servers, { ...asked, input }, either),
    signal,
  );
  return { vectors: texts.map(({ vector }) => vector), tokens: texts.map(({ tokens }) => tokens) };
}
