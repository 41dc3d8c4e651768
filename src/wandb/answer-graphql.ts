import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import { type DocumentNode, type ExecutionResult, execute, GraphQLError, type GraphQLSchema, validate } from 'graphql';
import { toApiError } from '../contract/errors.ts';
import type { GraphqlOperation } from '../contract/wandb/bodies.ts';
import { makeSchema } from './make-schema.ts';
import { parseOperation } from './parse-operation.ts';
import { artifactChanges } from './resolvers/artifacts/change.ts';
import { artifactCreation } from './resolvers/artifacts/create.ts';
import { artifactFields } from './resolvers/artifacts/fields.ts';
import { loginResolvers } from './resolvers/login.ts';
import { runFields } from './resolvers/runs/fields.ts';
import { runHistory } from './resolvers/runs/history.ts';
import { runMutations } from './resolvers/runs/mutations.ts';
import { sweepFields } from './resolvers/sweeps/fields.ts';
import { sweepMutations } from './resolvers/sweeps/mutations.ts';
import { artifactsSchema } from './schema/artifacts.ts';
import { introspectedSchema } from './schema/introspected.ts';
import { loginSchema } from './schema/login.ts';
import { runsSchema } from './schema/runs.ts';
import { sweepsSchema } from './schema/sweeps.ts';
import { clearErrors } from './unsupported-fields.ts';

export function wandbSchema(): GraphQLSchema {
  return makeSchema(
    [loginSchema, runsSchema, sweepsSchema, artifactsSchema, introspectedSchema],
    [
      loginResolvers,
      runFields,
      runHistory,
      runMutations,
      sweepFields,
      sweepMutations,
      artifactFields,
      artifactCreation,
      artifactChanges,
    ],
  );
}

export type GraphqlAnswer = { status: number; body: string };

/** Answers GraphQL requests; `graphql` has the caller. @throws ApiError 400 for an operation beyond the limits */
export function graphqlAnswerer(
  log: FastifyBaseLogger,
): (request: FastifyRequest, operation: GraphqlOperation) => Promise<GraphqlAnswer> {
  const schema = wandbSchema();

  return async (request, { query, variables, operationName }) => {
    const document = readOperation(query);
    if (document instanceof GraphQLError) return answerOf(200, { errors: [document] });
    const errors = validate(schema, document);
    // Another status than 200 makes the SDKs repeat the operation for minutes.
    if (errors.length > 0) return answerOf(200, { errors: clearErrors(document, errors) });
    const result = await execute({
      schema,
      document,
      variableValues: variables,
      operationName: operationName || undefined,
      contextValue: request.graphql,
    });
    const isExecuted = 'data' in result;
    return answerOf(isExecuted ? statusOf(result) : 400, {
      ...result,
      ...(result.errors && { errors: result.errors.map((error) => toClientError(error, log)) }),
    });
  };
}

function readOperation(query: string): DocumentNode | GraphQLError {
  try {
    return parseOperation(query);
  } catch (error) {
    if (error instanceof GraphQLError) return error;
    throw error;
  }
}

/** Clients repeat an operation that is answered with another status than 200: here it may succeed later. */
function statusOf({ errors = [] }: ExecutionResult): number {
  const statuses = errors.map(({ originalError }) => toApiError(originalError)?.status);
  return statuses.find((status) => status !== undefined && repeated.has(status)) ?? 200;
}

/** A store or a model is busy, away or full. */
const repeated = new Set([429, 503, 507]);

function answerOf(status: number, result: ExecutionResult): GraphqlAnswer {
  return { status, body: JSON.stringify(result) };
}

/** The Python SDK recognizes "no access" by the code `PERMISSION_ERROR`. */
function toClientError(error: GraphQLError, log: FastifyBaseLogger): GraphQLError {
  const { nodes, path, originalError } = error;
  const known = toApiError(originalError);
  if (known !== null) {
    const code = codes[known.status] ?? 'BAD_REQUEST';
    return new GraphQLError(known.message, { nodes, path, extensions: { code } });
  }
  // A variable of the wrong shape is an error within an error.
  if (!originalError || originalError instanceof GraphQLError) return error;
  log.error({ err: originalError }, 'unhandled error in a GraphQL field');
  return new GraphQLError('Internal server error', { nodes, path, extensions: { code: 'INTERNAL_SERVER_ERROR' } });
}

const codes: Record<number, string> = { 403: 'PERMISSION_ERROR', 404: 'NOT_FOUND', 507: 'INSUFFICIENT_STORAGE' };
