import type { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiComponentsObject,
  type ZodOpenApiContentObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiOverride,
  type ZodOpenApiPathsObject,
} from 'zod-openapi';
import type { AnswerShape, Endpoint } from '../contract/endpoint.ts';
import { queryComponents } from '../contract/query-language.ts';
import { version } from '../util/version.ts';

/** Describes endpoints as an OpenAPI 3.1 document, from the same schemas that check their requests. */
export function openapiDocument(endpoints: Endpoint[]): Record<string, unknown> {
  const paths: ZodOpenApiPathsObject = {};
  for (const endpoint of endpoints) {
    for (const path of [endpoint.path, ...(endpoint.aliases ?? [])]) {
      const method = endpoint.method.toLowerCase() as 'get';
      paths[path] = { ...paths[path], [method]: operation(endpoint, path !== endpoint.path) };
    }
  }
  const document = createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'heddle',
        version,
        description: 'Traces, evaluates, trains and serves language-model applications.',
      },
      security: [{ basic: [] }, { bearer: [] }, { header: [] }],
      components: {
        schemas: queryComponents as ZodOpenApiComponentsObject['schemas'],
        securitySchemes: {
          basic: { type: 'http', scheme: 'basic', description: 'Any user name; the API key is the password.' },
          bearer: { type: 'http', scheme: 'bearer', description: 'The API key.' },
          header: { type: 'apiKey', in: 'header', name: 'wandb-api-key' },
        },
      },
      paths,
    },
    { override: documentDefault },
  );
  return document as unknown as Record<string, unknown>;
}

/** Zod omits the default of a transformed value, because it may have another type. Ours do not. */
const documentDefault: ZodOpenApiOverride = ({ jsonSchema, zodSchema }) => {
  const { def } = zodSchema._zod;
  if (def.type === 'default') jsonSchema.default = def.defaultValue as typeof jsonSchema.default;
};

function operation(endpoint: Endpoint, isAlias: boolean): ZodOpenApiOperationObject {
  const { group, name, description, open, params, query, body } = endpoint;
  const invalid = ['openai', 'openaiPlatform', 'tensorZero'].includes(endpoint.errors ?? '') ? '400' : '422';
  return {
    tags: [group],
    summary: name,
    description: isAlias ? `${description} An older spelling of \`${endpoint.path}\`.` : description,
    ...(open ? { security: [] } : {}),
    ...(isAlias ? { deprecated: true } : {}),
    requestParams: {
      ...(params ? { path: params as z.ZodObject } : {}),
      ...(query ? { query: query as z.ZodObject } : {}),
    },
    ...(body ? { requestBody: { required: true, content: contentOf(bodyTypes(endpoint), body) } } : {}),
    responses: {
      ...(endpoint.answer.kind === 'redirect'
        ? { '302': { description: 'The address is in the header `Location`' } }
        : { '200': { description: 'Success', content: answerContent(endpoint.answer) } }),
      ...(endpoint.answer.kind === 'download' ? partAnswers(endpoint.answer) : {}),
      ...(open ? {} : { '401': { description: 'No valid API key' } }),
      ...(body || params || query
        ? { [invalid]: { description: 'The request has not the shape described here' } }
        : {}),
    },
  };
}

function partAnswers(answer: AnswerShape): ZodOpenApiOperationObject['responses'] {
  return {
    '206': { description: 'The part that the header `Range` asks for', content: answerContent(answer) },
    '416': { description: 'The part is beyond the end' },
  };
}

function bodyTypes({ multipart, bytes }: Endpoint): readonly string[] {
  return bytes ?? [multipart ? 'multipart/form-data' : 'application/json'];
}

function contentOf(mediaTypes: readonly string[], schema: z.ZodType): ZodOpenApiContentObject {
  return Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, { schema }]));
}

function answerContent(answer: AnswerShape): ZodOpenApiContentObject {
  switch (answer.kind) {
    case 'json':
    case 'jsonWithHeaders':
      return { 'application/json': { schema: answer.schema } };
    case 'lines':
      return { [answer.mediaType]: { schema: answer.schema } };
    case 'jsonOrEvents':
      return { 'application/json': { schema: answer.schema }, 'text/event-stream': { schema: answer.event } };
    case 'bytes':
    case 'download':
      return { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } };
    case 'encoded':
      return Object.fromEntries(Object.entries(answer.content).map(([mediaType, schema]) => [mediaType, { schema }]));
    case 'redirect':
      return {};
    case 'text':
      return { 'text/plain': { schema: { type: 'string' } } };
    case 'html':
      return { 'text/html': {} };
    default:
      return answer satisfies never;
  }
}
