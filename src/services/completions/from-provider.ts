import { createParser } from 'eventsource-parser';
import type { CompletionInputs } from '../../contract/completions/inputs.ts';
import type { ProviderRequest, Transport } from '../../providers/transport.ts';
import { withoutSecrets } from '../../util/error-text.ts';
import { Failure } from '../../util/failures.ts';
import type { JsonText } from '../../util/json/json-text.ts';
import { isObject } from '../../util/json/own-member.ts';
import { parseJson, parsePlain } from '../../util/json/parse.ts';
import { toJson } from '../../util/json/write.ts';
import { GatheredChunks } from './gather-chunks.ts';
import { credentialsIn } from './headers.ts';
import type { ModelAnswer, ModelStream } from './model-answer.ts';
import { drawnByProvider } from './own/recorded-draws.ts';
import { modelParameters, timeoutMsOf } from './parameters.ts';
import { usageOf } from './record.ts';
import type { ModelRoute } from './route.ts';

export type ProviderCompletion = {
  route: Extract<ModelRoute, { kind: 'provider' }>;
  inputs: CompletionInputs;
  messages: JsonText[];
  signal: AbortSignal;
};

const ofProvider = { heddle: { draws: drawnByProvider } };

/** Gets a response from the OpenAI-compatible endpoint of a provider. @throws Failure */
export async function completeByProvider(transport: Transport, completion: ProviderCompletion): Promise<ModelAnswer> {
  const { route } = completion;
  const text = await transport.post(requestTo('/chat/completions', completion, bodyOf(completion)));
  const response = jsonObject(text, route.baseUrl);
  const { usage } = parsePlain(response.text);
  const record = { output: response.text, attributes: ofProvider, summary: usageOf(route.model, usage) };
  return { response, record };
}

/** The same, streamed in chunks. */
export async function streamByProvider(transport: Transport, completion: ProviderCompletion): Promise<ModelStream> {
  const { route } = completion;
  const gathered = new GatheredChunks();
  return {
    chunks: await streamChunks(transport, completion, bodyOf(completion), gathered),
    record: () => ({
      output: JSON.stringify(gathered.completion()),
      attributes: ofProvider,
      summary: usageOf(route.model, gathered.usage),
    }),
  };
}

type SentTo = Pick<ProviderCompletion, 'route' | 'signal'> & { inputs?: CompletionInputs };

/** The chunks of a streamed response, as JSON text. Resolves when the request is accepted. @throws Failure */
export async function streamChunks(
  transport: Transport,
  to: SentTo,
  body: Record<string, unknown>,
  gathered = new GatheredChunks(),
): Promise<AsyncGenerator<string>> {
  const send = (more: object) =>
    transport.stream(requestTo('/chat/completions', to, { ...body, stream: true, ...more }));
  const pieces = await send({ stream_options: { include_usage: true } }).catch((error) => {
    if (error instanceof Failure && error.kind === 'unacceptable' && /stream_options/.test(error.message))
      return send({});
    throw error;
  });
  return chunksOf(pieces, to.route, gathered);
}

export function requestTo(path: string, { route, inputs, signal }: SentTo, body: object): ProviderRequest {
  return {
    url: route.baseUrl.replace(/\/+$/, '') + path,
    headers: { ...route.headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: toJson(body),
    timeoutMs: inputs ? timeoutMsOf(inputs) : null,
    secrets: credentialsIn(route.headers),
    signal,
  };
}

function bodyOf({ route, inputs, messages }: ProviderCompletion): Record<string, unknown> {
  return { model: route.model, messages, ...modelParameters(inputs) };
}

/** @throws Failure if the response is not a JSON object */
export function jsonObject(text: string, baseUrl: string): JsonText {
  const { host } = new URL(baseUrl);
  let found: JsonText;
  try {
    found = parseJson(text, { keep: true }) as JsonText;
  } catch {
    throw new Failure('unavailable', `The response of ${host} is not JSON.`);
  }
  if (found.kind !== 'object') throw new Failure('unavailable', `The response of ${host} is not a JSON object.`);
  return found;
}

const eventCharactersMax = 16 * 1024 * 1024;

async function* chunksOf(pieces: AsyncIterable<string>, route: ProviderCompletion['route'], gathered: GatheredChunks) {
  const { baseUrl, headers } = route;
  const { host } = new URL(baseUrl);
  const events: string[] = [];
  const parser = createParser({
    maxBufferSize: eventCharactersMax,
    onEvent: ({ data }) => events.push(data),
    onError(error) {
      if (error.type === 'max-buffer-size-exceeded')
        throw new Failure('tooLarge', `${host} sent an event that is too long.`);
    },
  });
  let count = 0;
  for await (const piece of pieces) {
    parser.feed(piece);
    for (const data of events.splice(0)) {
      if (data.trim() === '[DONE]') return;
      const text = jsonObject(data, baseUrl).text;
      const chunk: Record<string, unknown> = parsePlain(text);
      if (chunk.error) {
        const message = withoutSecrets(messageOf(chunk.error), credentialsIn(headers));
        throw new Failure('unavailable', `${host} ended the response: ${message.slice(0, 1000)}`);
      }
      gathered.take(chunk);
      count++;
      yield text;
    }
  }
  if (count === 0) throw new Failure('unavailable', `${host} sent no events.`);
}

function messageOf(error: unknown): string {
  const message = isObject(error) ? error.message : error;
  return typeof message === 'string' ? message : JSON.stringify(error);
}
