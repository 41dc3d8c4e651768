import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { type OpenApi, type Operation, operationsOf } from './operations.ts';
import type { Answer } from './send.ts';

/** Says what is wrong with an answer to an operation, in a few words that are the same for the same cause; null where nothing is. */
export type CheckAnswer = (operation: Operation, answer: Answer) => string | null;

export function openAnswerCheck(document: OpenApi): CheckAnswer {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false });
  ajv.addSchema({ ...withoutDefaults(document), $id: 'openapi' });
  const validators = new Map<string, ValidateFunction>();
  for (const { name, method, path, responses } of operationsOf(document)) {
    for (const mediaType of Object.keys(responses['200']?.content ?? {})) {
      const place = ['paths', path, method.toLowerCase(), 'responses', '200', 'content', mediaType, 'schema'];
      const pointer = place
        .map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1')))
        .join('/');
      validators.set(`${name} ${mediaType}`, ajv.compile({ $ref: `openapi#/${pointer}` }));
    }
  }

  return (operation, { status, mediaType, text }) => {
    if (status >= 500) return `status ${status}`;
    if (status >= 400) return errorFault(operation, status, mediaType, text);
    if (status !== 200) return `status ${status}`;
    const validate = validators.get(`${operation.name} ${mediaType}`);
    if (!validate) return operation.responses['200'] ? `200 of an undescribed type ${mediaType}` : null;
    for (const value of valuesOf(mediaType, text)) {
      if (value === undefined) return '200 with a body that is not JSON';
      if (validate(value)) continue;
      const [error] = validate.errors!;
      return `200 that its schema refuses: ${error!.instancePath.replaceAll(/\d+/g, 'N')} ${error!.message}`;
    }
    return null;
  };
}

/** What has a default may be left out; the document calls it required, since a server could have filled it in. */
function withoutDefaults<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(withoutDefaults) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withoutDefaults(each)]));
  if (Array.isArray(copy.required) && copy.properties) {
    copy.required = copy.required.filter((name: string) => !('default' in copy.properties[name]));
  }
  return copy as Value;
}

/** The JSON values of a body; undefined for each that is none. */
function valuesOf(mediaType: string, text: string): unknown[] {
  switch (mediaType) {
    case 'application/json':
      return [parsed(text)];
    case 'application/jsonl':
    case 'application/x-ndjson':
      return text.split('\n').filter(Boolean).map(parsed);
    case 'text/event-stream':
      return text
        .split('\n')
        .filter((line) => line.startsWith('data: ') && line !== 'data: [DONE]')
        .map((line) => parsed(line.slice('data: '.length)));
    default:
      return [];
  }
}

/** The paths of the training interface, whose errors are FastAPI's. */
const answersDetail = /^\/v1\/(preview\/|health$|system-check$)|^\/api\/v1\//;

/** The paths that OpenAI's own API has, beside the chat, and those of vLLM's tokenizer: 400 for a body of the wrong shape. */
const answersPlatformErrors =
  /^\/(v1\/(evals|files|fine_tuning|responses|completions|embeddings|models)|tokenize|detokenize|tokenizer_info)\b/;

function errorFault({ path }: Operation, status: number, mediaType: string, text: string): string | null {
  if (mediaType !== 'application/json') return `status ${status} of the type ${mediaType}`;
  const body = parsed(text) as {
    reason?: unknown;
    detail?: unknown;
    error?: { message?: unknown; code?: unknown; type?: unknown } | string;
  };
  if (typeof body !== 'object' || body === null) return `status ${status} with a body that is not an object`;
  if (Array.isArray(body.detail) && status === 422) {
    return body.detail.length > 0 && body.detail.every(isFinding) ? null : 'a 422 whose detail has another shape';
  }
  if (body.detail === 'Not Found' && status === 404) return null;
  if (answersDetail.test(path))
    return typeof body.detail === 'string' && body.detail !== '' ? null : `status ${status} without a detail`;
  if (typeof body.error === 'string')
    return path.startsWith('/tensorzero/') && body.error !== '' ? null : `status ${status} with a text as its error`;
  const isPlatformError = answersPlatformErrors.test(path) || path.startsWith('/tensorzero/');
  if (isPlatformError && typeof body.reason !== 'string') {
    const { error } = body;
    const isWhole = typeof error?.message === 'string' && error.message !== '' && typeof error.type === 'string';
    return isWhole && status !== 422 ? null : `status ${status} whose body is not an error of OpenAI's platform`;
  }
  if (path.startsWith('/v1/')) {
    const { error } = body;
    if (typeof error?.message === 'string' && error.message !== '' && error.code === status) return null;
    if (path.startsWith('/v1/chat')) return `status ${status} whose body is not an error in OpenAI's shape`;
  }
  if (path === '/graphql') return null; // errors of GraphQL have a shape of their own
  return typeof body.reason === 'string' && body.reason !== '' ? null : `status ${status} without a reason`;
}

function isFinding(finding: { type?: unknown; loc?: unknown; msg?: unknown }): boolean {
  return typeof finding.type === 'string' && Array.isArray(finding.loc) && typeof finding.msg === 'string';
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
