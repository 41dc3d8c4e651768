import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Endpoint } from '../contract/endpoint.ts';
import { ApiError, InvalidRequestError, toApiError, tooLarge } from '../contract/errors.ts';
import { Failure, ValidationError } from '../util/failures.ts';
import { JsonDepthError, JsonSizeError, JsonSyntaxError } from '../util/json/errors.ts';
import {
  asPlatformError,
  detailErrorBody,
  openAiErrorBody,
  platformErrorBody,
  vllmErrorBody,
} from './openai-errors.ts';
import type { AnswerPage } from './page/page.ts';
import { errorBodyAt, pathError } from './protocol-errors.ts';
import { sendJson } from './send.ts';
import { pageHeader } from './session-cookie.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    errors?: Endpoint['errors'];
  }
}

/** Turns every error into a response; the only place that does. */
export function answerErrors(app: FastifyInstance): void {
  app.setErrorHandler((error: FastifyError | Error, request, reply) => {
    const known = answerFor(error);
    if (known === null) request.log.error({ err: error }, 'unhandled request error');
    else if (error instanceof Failure && error.cause !== undefined) {
      if (error.kind === 'unavailable') request.log.error({ err: error.cause }, 'what a request needs does not answer');
      if (error.kind === 'noSpace') request.log.error({ err: error.cause }, 'a store has no space');
    }
    const { errors } = request.routeOptions.config;
    const found = known ?? new ApiError(500, 'Internal server error');
    const answered = errors === 'openaiPlatform' ? asPlatformError(found) : found;
    const isOpenAi = errors === 'openai' || errors === 'openaiPlatform' || errors === 'vllm';
    const status =
      (errors === 'openai' || errors === 'tensorZero') && answered instanceof InvalidRequestError
        ? 400
        : answered.status;
    const isForPage = request.headers[pageHeader] !== undefined; // a browser would ask for a password
    if (answered.status === 401 && !isForPage)
      reply.header('www-authenticate', isOpenAi ? 'Bearer' : 'Basic realm="heddle"');
    if (answered.status === 429 || answered.status === 503)
      reply.header('retry-after', reply.getHeader('retry-after') ?? 1);
    if (answered.status === 408) reply.header('connection', 'close'); // the client has nothing more to send on it
    sendJson(reply, status, errorBody(answered, errors));
  });
}

/**
 * Answers requests without a route.
 * @param allowed the methods served at a path
 */
export function answerUnknownPaths(
  app: FastifyInstance,
  allowed: (path: string) => string | null,
  answerPage: AnswerPage,
): void {
  app.setNotFoundHandler((request: FastifyRequest, reply) => {
    const path = request.url.split('?', 1)[0]!;
    const allow = allowed(path);
    if (allow === null && answerPage(request, reply)) return reply;
    if (allow === null) {
      const unknown = new ApiError(
        404,
        `Unknown address: ${request.method} ${path}. /openapi.json lists what is served.`,
      );
      return sendJson(reply, 404, unroutedBody(path, unknown, 'Not Found'));
    }
    const notAllowed = new ApiError(405, `${request.method} is not allowed at ${path}, only ${allow}.`);
    return sendJson(reply.header('allow', allow), 405, unroutedBody(path, notAllowed, 'Method Not Allowed'));
  });
}

/** OpenAI's SDKs also request endpoints that heddle does not serve; they read `error`. */
function unroutedBody(path: string, error: ApiError, detail: string): Record<string, unknown> {
  return path.startsWith('/v1/') ? { ...errorBodyAt(path, error), detail } : { detail };
}

/** The body of an error for the clients of an endpoint. */
function errorBody(error: ApiError, errors: Endpoint['errors']): Record<string, unknown> {
  if (errors === 'openai') return openAiErrorBody(error);
  if (errors === 'openaiPlatform') return platformErrorBody(error);
  if (errors === 'vllm') return vllmErrorBody(error);
  if (errors === 'tensorZero') return { error: error.message };
  return errors === 'detail' ? detailErrorBody(error) : error.body;
}

/** What Fastify's router refuses before a route is found. */
export function answerPathErrors(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const answered = pathError(error.code);
  sendJson(reply, answered.status, errorBodyAt(request.url, answered));
}

function answerFor(error: FastifyError | Error): ApiError | null {
  const expected = toApiError(error);
  if (expected !== null) return expected;
  if ('code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE') return new ApiError(499, 'The client hung up');
  if (error instanceof JsonDepthError) return tooLarge();
  if (error instanceof JsonSizeError) return tooLarge(undefined, { detail: error.message });
  if (error instanceof JsonSyntaxError) {
    const detail = { type: 'json_invalid', loc: ['body', error.position], msg: 'JSON decode error', input: {} };
    return new InvalidRequestError(new ValidationError([{ ...detail, ctx: { error: error.message } }]));
  }
  const status = 'statusCode' in error ? error.statusCode : undefined;
  if (status === 413) return tooLarge();
  return status !== undefined && status >= 400 && status < 500 ? new ApiError(status, error.message) : null;
}
