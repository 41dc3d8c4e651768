import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Endpoint } from '../contract/endpoint.ts';
import { ApiError, tooLarge, ValidationError } from '../contract/errors.ts';
import { JsonDepthError, JsonSyntaxError } from '../util/json/errors.ts';
import { toJson } from '../util/json/write.ts';
import { openAiErrorBody } from './openai-errors.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    errors?: Endpoint['errors'];
  }
}

/** Turns every error into a response; the only place that does. */
export function answerErrors(app: FastifyInstance): void {
  app.setErrorHandler((error: FastifyError | Error, request, reply) => {
    const known = toApiError(error);
    if (known === null) request.log.error({ err: error }, 'a request failed for a reason that is ours');
    const answered = known ?? new ApiError(500, 'Internal server error');
    const isOpenAi = request.routeOptions.config.errors === 'openai';
    if (answered.status === 401) reply.header('www-authenticate', isOpenAi ? 'Bearer' : 'Basic realm="heddle"');
    if (answered.status === 429) reply.header('retry-after', reply.getHeader('retry-after') ?? 1);
    sendJson(reply, answered.status, isOpenAi ? openAiErrorBody(answered) : answered.body);
  });
  app.setNotFoundHandler((_request: FastifyRequest, reply) => sendJson(reply, 404, { detail: 'Not Found' }));
}

export function sendJson(reply: FastifyReply, status: number, body: unknown): FastifyReply {
  return reply.code(status).type('application/json; charset=utf-8').send(toJson(body));
}

function toApiError(error: FastifyError | Error): ApiError | null {
  if (error instanceof ApiError) return error;
  if ('code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE') return new ApiError(499, 'The client hung up');
  if (error instanceof JsonDepthError) return tooLarge();
  if (error instanceof JsonSyntaxError) {
    const detail = { type: 'json_invalid', loc: ['body', error.position], msg: 'JSON decode error', input: {} };
    return new ValidationError([{ ...detail, ctx: { error: error.message } }]);
  }
  const status = 'statusCode' in error ? error.statusCode : undefined;
  if (status === 413) return tooLarge();
  return status !== undefined && status >= 400 && status < 500 ? new ApiError(status, error.message) : null;
}
