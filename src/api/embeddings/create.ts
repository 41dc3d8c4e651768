import type { Context } from '../../context.ts';
import type * as contract from '../../contract/embeddings/create.ts';
import { ApiError } from '../../contract/errors.ts';
import type { Handler } from '../../http/bind.ts';
import { embeddingsOpName, embedTexts } from '../../services/completions/own/own-embeddings.ts';
import { asApiError } from '../inference/generation-errors.ts';
import { openReceived } from '../inference/open-request.ts';
import { randomId, readHeaders } from '../inference/request-headers.ts';

/** As many texts as OpenAI takes. */
const inputsMax = 2048;

export function embeddingsCreate(context: Context): Handler<typeof contract.embeddingsCreate> {
  return async ({ body, caller, raw, whenHungUp }) => {
    check(body.dimensions, body.input.length);
    const headers = readHeaders(raw.headers);
    const request = await openReceived(context, { opName: embeddingsOpName, model: body.model, caller, headers, raw });
    const texts = {
      id: `embd-${headers.requestId ?? body.request_id ?? randomId()}`,
      inputs: body.input,
      addsSpecialTokens: body.add_special_tokens,
      truncate: body.truncate_prompt_tokens,
      pooling: body.pooling,
      normalizes: body.normalize,
      priority: body.priority,
    };
    const { id, created, model, vectors, usage } = await embedTexts(request, texts, whenHungUp()).catch(
      asApiError(raw.log),
    );
    return {
      ...{ id, object: 'list' as const, created, model },
      data: vectors.map((vector, index) => ({
        object: 'embedding' as const,
        index,
        embedding: body.encoding_format === 'base64' ? base64Of(vector) : [...vector],
      })),
      usage,
    };
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
