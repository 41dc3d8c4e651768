import type { Context } from '../../context.ts';
import type * as contract from '../../contract/embeddings/create.ts';
import type { EmbeddingList } from '../../contract/embeddings/create.ts';
import { ApiError } from '../../contract/errors.ts';
import type { Handler } from '../../http/bind.ts';
import { nowMicroseconds } from '../../util/timestamp.ts';
import { toApiError } from '../inference/generation-errors.ts';
import { randomId, readHeaders } from '../inference/request-headers.ts';
import { openTrace, type TracedAnswer } from '../inference/trace.ts';
import { projectOfModelRequest } from '../project.ts';

/** As many texts as OpenAI takes. */
const inputsMax = 2048;

export function embeddingsCreate(context: Context): Handler<typeof contract.embeddingsCreate> {
  return async ({ body, caller, raw, whenHungUp }) => {
    const startedAt = nowMicroseconds();
    check(body.dimensions, body.input.length);
    const headers = readHeaders(raw.headers);
    const model = await context.services.models.resolve(body.model || context.config.defaultModel, caller);
    const bytes = raw.body as Buffer;
    const trace = await openTrace(context, { opName: 'heddle.embeddings', caller, bytes, headers, model, startedAt });
    const request = {
      tenant: [caller.userId, projectOfModelRequest({ caller, headers, model })] as const,
      inputs: body.input,
      addsSpecialTokens: body.add_special_tokens,
      truncate: body.truncate_prompt_tokens,
      pooling: body.pooling,
      normalizes: body.normalize,
      priority: headers.priority ?? body.priority,
    };
    const { vectors, tokens } = await context.inference.embed(model, request, whenHungUp()).catch((error) => {
      throw toApiError(error, raw.log);
    });
    const count = tokens.reduce((sum, each) => sum + each, 0);
    const answer: EmbeddingList = {
      id: `embd-${headers.requestId ?? body.request_id ?? randomId()}`,
      object: 'list',
      created: Math.floor(startedAt / 1_000_000),
      model: model.name,
      data: vectors.map((vector, index) => ({
        object: 'embedding',
        index,
        embedding: body.encoding_format === 'base64' ? base64Of(vector) : [...vector],
      })),
      usage: { prompt_tokens: count, total_tokens: count },
    };
    trace?.end(traced(answer, vectors), null);
    return answer;
  };
}

function check(dimensions: number | null, inputs: number): void {
  if (dimensions !== null) {
    throw new ApiError(
      400,
      'dimensions is not supported: the served models are not trained for shorter vectors (matryoshka representations), ' +
        'so a part of a vector means little. Leave it out.',
      { param: 'dimensions' },
    );
  }
  if (inputs <= inputsMax) return;
  throw new ApiError(400, `input has ${inputs} texts; at most ${inputsMax} may be embedded at once.`, {
    param: 'input',
  });
}

function base64Of(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [i, value] of vector.entries()) bytes.writeFloatLE(value, i * 4);
  return bytes.toString('base64');
}

/** The call has the answer with the sizes of the vectors in their place: they can be computed again, and are large. */
function traced({ data, ...answer }: EmbeddingList, vectors: Float32Array[]): TracedAnswer {
  const sizes = data.map(({ object, index }) => ({ object, index, dimensions: vectors[index]!.length }));
  return {
    output: () => ({ ...answer, data: sizes }),
    attributes: () => ({}),
    usage: answer.usage,
    bytes: 100 * data.length,
  };
}
