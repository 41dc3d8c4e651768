import type { ImageInputs } from '../../contract/images/create.ts';
import type { Transport } from '../../providers/transport.ts';
import { Failure, invalidInput, tooLarge } from '../../util/failures.ts';
import { JsonText } from '../../util/json/json-text.ts';
import { isObject } from '../../util/json/own-member.ts';
import { parseJson, parsePlain } from '../../util/json/parse.ts';
import { toJson } from '../../util/json/write.ts';
import { jsonObject, requestTo } from '../completions/from-provider.ts';
import { readInputs } from '../completions/read-inputs.ts';
import { openObjectReader } from '../completions/read-object.ts';
import { type CompletionRecord, usageOf } from '../completions/record.ts';
import { routeOf } from '../completions/route.ts';
import type { Deps } from '../deps.ts';
import type { Files } from '../files/files.ts';
import type { ServedModels } from '../models/served-models.ts';
import type { Objects } from '../objects/objects.ts';
import type { Owner } from '../owner.ts';
import type { Secrets } from '../secrets/secrets.ts';
import { storeContent } from './store-content.ts';

type ImageRequest = Owner & { inputs: ImageInputs; signal: AbortSignal };

/** Generates images with models of providers. */
export type Images = {
  /**
   * The provider's response, in which the images are refs to files of the project.
   * @throws Failure with a message for the user
   */
  create(request: ImageRequest): Promise<{ response: JsonText; record: CompletionRecord }>;
};

export function openImages(
  deps: Pick<Deps, 'identity' | 'transport'>,
  { models, objects, secrets, files }: { models: ServedModels; objects: Objects; secrets: Secrets; files: Files },
): Images {
  const reader = openObjectReader(deps, objects);
  const { transport } = deps;

  async function create({ inputs, signal, ...owner }: ImageRequest) {
    if (inputs.model === '') throw invalidInput('No model specified in request');
    if (inputs.prompt === '') throw invalidInput('No prompt specified in request');
    const named = readInputs({ model: inputs.model });
    const route = await routeOf({ models, objects: reader, secrets }, named, owner).catch((error) => {
      throw withoutKey(error);
    });
    if (route.kind === 'own') throw invalidInput(`${inputs.model} does not generate images.`);
    const text = await transport.post(requestTo('/images/generations', { route, signal }, bodyOf(route.model, inputs)));
    const answer = parseJson(jsonObject(text, route.baseUrl).text, { keep: { '*': true } }) as Record<string, JsonText>;
    const data: unknown = parsePlain(answer.data?.text ?? '[]');
    const images = [];
    for (const image of elementsOf(data, route.baseUrl)) {
      images.push(await stored(image, owner, { providerUrl: route.baseUrl, signal }));
    }
    const usage = normalized(answer.usage && parsePlain(answer.usage.text));
    const response = new JsonText(toJson({ ...answer, data: images, model: inputs.model, usage }));
    return { response, record: { output: response.text, attributes: {}, summary: usageOf(route.model, usage) } };
  }

  /** An image as an element of the response, with a content object in place of its address or its bytes. */
  async function stored(image: unknown, { project }: Owner, from: Parameters<Transport['download']>[1]) {
    if (!isObject(image)) return image;
    const { url, b64_json: base64 } = image;
    if (typeof base64 === 'string') {
      return { ...image, b64_json: await storeContent(files, project.id, Buffer.from(base64, 'base64')) };
    }
    if (typeof url !== 'string') return image;
    if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
      throw new Failure('unavailable', 'The image has no valid URL.');
    return { ...image, url: await storeContent(files, project.id, await transport.download(url, from)) };
  }

  return { create };
}

/** The value that W&B's server requests; models accept different ones. */
function bodyOf(model: string, { prompt, n }: ImageInputs): Record<string, unknown> {
  const isDallE3 = model === 'dall-e-3';
  const isGptImage = model.startsWith('gpt-image-');
  return {
    model,
    prompt,
    n: isDallE3 ? 1 : (n ?? 1),
    size: '1024x1024',
    ...(isDallE3 ? { quality: 'standard', style: 'natural' } : {}),
    ...(model === 'gpt-image-1' || model === 'gpt-image-1.5' ? { quality: 'high' } : {}),
    ...(isGptImage ? {} : { response_format: 'url' }),
  };
}

/** Each image is downloaded and stored. OpenAI sends up to ten. */
const imagesMax = 20;

function elementsOf(data: unknown, baseUrl: string): unknown[] {
  if (!Array.isArray(data)) return [];
  if (data.length <= imagesMax) return data;
  const { host } = new URL(baseUrl);
  throw tooLarge(`${host} sent ${data.length} images. At most ${imagesMax} are stored.`);
}

/** In the names of chat completions. */
function normalized(reported: unknown): Record<string, unknown> {
  const usage = isObject(reported) ? reported : {};
  const count = (...names: string[]) => names.map((name) => usage[name]).find(Number.isSafeInteger) ?? 0;
  const prompt_tokens = count('prompt_tokens', 'input_tokens') as number;
  const completion_tokens = count('completion_tokens', 'output_tokens') as number;
  const total = usage.total_tokens;
  const total_tokens = Number.isSafeInteger(total) ? total : prompt_tokens + completion_tokens;
  return { ...usage, prompt_tokens, completion_tokens, total_tokens };
}

/** Clients expect the wording of W&B's server. */
function withoutKey(error: unknown): unknown {
  if (!(error instanceof Failure) || error.extra.api_key !== 'OPENAI_API_KEY') return error;
  return new Failure(error.kind, error.message.replace(/^No API key found/, 'No OpenAI API key found'), error.extra);
}
