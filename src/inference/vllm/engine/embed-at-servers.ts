import { Failure } from '../../../util/failures.ts';
import type { VllmServers } from '../servers/vllm-servers.ts';
import { withPlainFailures } from './plain-failure.ts';
import { answerFault } from './read-tokens.ts';
import { doesNotEmbed } from './refusals.ts';

export type TextToEmbed = {
  model: string;
  /** The name that the servers know the adapter by. */
  adapter: string | null;
  input: string | readonly number[];
  normalizes: boolean;
  priority: number;
  /** Further fields of the request. */
  more?: Record<string, unknown>;
};

/** Embeds one text. @throws Failure */
export async function embedAtServers(
  servers: Pick<VllmServers, 'embed'>,
  { model, adapter, input, normalizes, priority, more = {} }: TextToEmbed,
  signal: AbortSignal,
): Promise<{ vector: Float32Array; tokens: number }> {
  const body = { input: [input], encoding_format: 'float', ...more, ...(priority === 0 ? {} : { priority }) };
  const asked = { model, adapter, body, affinity: null, signal };
  const { data, usage } = await withPlainFailures(() => servers.embed(asked)).catch((error) => {
    throw error instanceof Failure && error.kind === 'notFound' ? doesNotEmbed(model) : error;
  });
  const vector = data[0]?.embedding;
  if (!vector) throw answerFault('has sent no vector');
  return { vector: normalizes ? normalized(vector) : Float32Array.from(vector), tokens: usage.prompt_tokens };
}

function normalized(vector: readonly number[]): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return Float32Array.from(vector, (value) => (length === 0 ? 0 : value / length));
}
