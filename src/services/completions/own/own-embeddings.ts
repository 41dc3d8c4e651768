import type { EmbeddingsRequest } from '../../../chat/types.ts';
import type { OpenedRequest } from './opened-request.ts';

export const embeddingsOpName = 'heddle.embeddings';

/** Vectors that a model of heddle's own has computed, one for each text. */
export type OwnEmbeddings = {
  id: string;
  /** Seconds since 1970. */
  created: number;
  model: string;
  vectors: Float32Array[];
  usage: { prompt_tokens: number; total_tokens: number };
};

type NewEmbeddings = { id: string } & Omit<EmbeddingsRequest, 'tenant'>;

/** Embeds texts and records the request. @throws Failure */
export async function embedTexts(
  request: OpenedRequest,
  { id, ...texts }: NewEmbeddings,
  signal: AbortSignal,
): Promise<OwnEmbeddings> {
  const { vectors, tokens } = await request.embed(texts, signal);
  const count = tokens.reduce((sum, each) => sum + each, 0);
  const usage = { prompt_tokens: count, total_tokens: count };
  const head = { id, created: Math.floor(request.startedAt / 1_000_000), model: request.model.name };
  // Sizes in the place of vectors: vectors can be computed again, and are large.
  const data = vectors.map(({ length }, index) => ({ object: 'embedding', index, dimensions: length }));
  const { created, model } = head;
  const output = () => ({ id, object: 'list', created, model, usage, data });
  request.recordLater({ output, attributes: () => ({}), usage, bytes: 100 * data.length }, null);
  return { ...head, vectors, usage };
}
