import { z } from 'zod';
import type { Transport } from '../../providers/transport.ts';
import { Failure, invalidInput } from '../../util/failures.ts';
import { parsePlain } from '../../util/json/parse.ts';
import { jsonObject, requestTo } from './from-provider.ts';
import { type CompletionRecord, usageOf } from './record.ts';
import type { ModelRoute } from './route.ts';

export type Embeddings = { vectors: number[][]; summary: CompletionRecord['summary'] };

const answerSchema = z.object({
  data: z.array(z.object({ index: z.number().int(), embedding: z.array(z.number()).min(1) })),
  usage: z.unknown().optional(),
});

/** Computes embeddings of texts, in their order, through the OpenAI-compatible endpoint of a provider. @throws Failure */
export async function embedByProvider(
  transport: Transport,
  { route, texts, signal }: { route: ModelRoute; texts: string[]; signal: AbortSignal },
): Promise<Embeddings> {
  if (route.kind === 'own') {
    throw invalidInput(
      `heddle does not compute embeddings yet. Use an embedding model of a provider instead of ${route.model.name}.`,
    );
  }
  const text = await transport.post(requestTo('/embeddings', { route, signal }, { model: route.model, input: texts }));
  const parsed = answerSchema.safeParse(parsePlain(jsonObject(text, route.baseUrl).text));
  const vectors = parsed.data?.data.toSorted((a, b) => a.index - b.index).map(({ embedding }) => embedding);
  if (
    vectors === undefined ||
    vectors.length !== texts.length ||
    vectors.some(({ length }) => length !== vectors[0]!.length)
  ) {
    const { host } = new URL(route.baseUrl);
    throw new Failure('unavailable', `The response of ${host} does not have an embedding for each input.`);
  }
  return { vectors, summary: usageOf(route.model, parsed.data!.usage) };
}
