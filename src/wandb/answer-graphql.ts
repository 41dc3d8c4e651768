import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import type { GraphQLError } from 'graphql';
import { createGraphQLError, createSchema, createYoga, type Plugin } from 'graphql-yoga';
import { toApiError } from '../contract/errors.ts';
import { checkOperation } from './check-operation.ts';
import { artifactChanges } from './resolvers/artifacts/change.ts';
import { artifactCreation } from './resolvers/artifacts/create.ts';
import { artifactFields } from './resolvers/artifacts/fields.ts';
import type { GraphqlContext } from './resolvers/context.ts';
import { loginResolvers } from './resolvers/login.ts';
import { runFields } from './resolvers/runs/fields.ts';
import { runHistory } from './resolvers/runs/history.ts';
import { runMutations } from './resolvers/runs/mutations.ts';
import { artifactsSchema } from './schema/artifacts.ts';
import { loginSchema } from './schema/login.ts';
import { runsSchema } from './schema/runs.ts';

/** Answers GraphQL requests; `graphql` has the caller. @throws ApiError 400 for an operation beyond the limits */
export function graphqlAnswerer(log: FastifyBaseLogger): (request: FastifyRequest, body: string) => Promise<Response> {
  const yoga = createYoga<GraphqlContext>({
    schema: createSchema<GraphqlContext>({
      typeDefs: [loginSchema, runsSchema, artifactsSchema],
      resolvers: [
        loginResolvers,
        runFields,
        runHistory,
        runMutations,
        artifactFields,
        artifactCreation,
        artifactChanges,
      ],
    }),
    maskedErrors: { maskError: (error) => toClientError(error, log) },
    plugins: [unnamedOperations],
    graphiql: false,
    landingPage: false,
    logging: false,
  });
  return async (request, body) => {
    const query = queryIn(body);
    if (query !== null) checkOperation(query);
    return yoga.fetch(
      'http://heddle/graphql',
      {
        method: 'POST',
        // Without this Accept header, errors in the query get a status that makes the SDKs retry for minutes.
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body,
      },
      request.graphql!,
    );
  };
}

/** The text of the operation; null if the body has none, which Yoga then reports. */
function queryIn(body: string): string | null {
  try {
    const { query } = JSON.parse(body) as { query?: unknown };
    return typeof query === 'string' ? query : null;
  } catch {
    return null;
  }
}

/** The wandb package sends an empty `operationName` if it means none. */
const unnamedOperations: Plugin = {
  onParams({ params, setParams }) {
    if (params.operationName === '') setParams({ ...params, operationName: undefined });
  },
};

/** The Python SDK recognizes "no access" by the code `PERMISSION_ERROR`. */
function toClientError(error: unknown, log: FastifyBaseLogger): Error {
  const { name, nodes, path, originalError, extensions } = error as GraphQLError;
  const known = toApiError(originalError);
  if (known !== null) {
    const code = codes[known.status] ?? 'BAD_REQUEST';
    return createGraphQLError(known.message, { nodes, path, extensions: { code } });
  }
  // A variable of the wrong shape is an error within an error.
  const isOfTheQuery =
    name === 'GraphQLError' && (!originalError || isGraphQLError(originalError) || extensions.code !== undefined);
  if (isOfTheQuery) return error as GraphQLError;
  log.error({ err: originalError ?? error }, 'unhandled error in a GraphQL field');
  return createGraphQLError('Internal server error', {
    nodes,
    path,
    extensions: { code: 'INTERNAL_SERVER_ERROR', http: { status: 200 } },
  });
}

function isGraphQLError(error: Error): boolean {
  return error.name === 'GraphQLError';
}

const codes: Record<number, string> = { 403: 'PERMISSION_ERROR', 404: 'NOT_FOUND' };
