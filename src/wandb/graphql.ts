import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify';
import { wandbBodies } from '../contract/wandb/bodies.ts';
import { nextTurn } from '../util/turns.ts';
import type { graphqlAnswerer } from './answer-graphql.ts';
import type { WandbParts } from './parts.ts';
import { type GraphqlContext, rowsMax } from './resolvers/context.ts';

/** Serves `POST /graphql`, which the SDKs of weave and wandb use to log in, and for projects, runs and artifacts. */
export async function graphqlPlugin(app: FastifyInstance, parts: WandbParts): Promise<void> {
  const { identity, authenticate, services, readJson } = parts;
  let loading: ReturnType<typeof load> | undefined;
  app.decorateRequest('graphql', null);

  app.route({
    method: 'POST',
    url: '/graphql',
    onRequest: async (request) => {
      const caller = await authenticate(request);
      const { artifacts, runs, signedBlobs, sweeps } = services;
      request.graphql = {
        identity,
        caller,
        artifacts,
        runs,
        signedBlobs,
        sweeps,
        address: addressOf(request),
        budget: { rows: rowsMax },
      };
    },
    handler: async (request, reply) => {
      const { caller } = request.graphql!;
      loading ??= load(app.log);
      const answer = await loading;
      const operation = await readJson(request, reply, { ...bodyLimit, caller, shape: wandbBodies.operation });
      const { status, body } = await answer(request, operation);
      if (status === 429 || status === 503) reply.header('retry-after', 1);
      return reply.code(status).type('application/json; charset=utf-8').send(body);
    },
  });
}

/**
 * GraphQL is loaded with the first request, since most servers rarely need it. In one step, this would block the server
 * for a quarter of a second.
 */
async function load(log: FastifyBaseLogger): Promise<ReturnType<typeof graphqlAnswerer>> {
  await import('graphql');
  await nextTurn();
  const { graphqlAnswerer } = await import('./answer-graphql.ts');
  await nextTurn();
  return graphqlAnswerer(log);
}

/** Clients announce up to 10,000 files of an artifact at once, and `wandb verify` sends 10 MB. */
const bodyLimit = { bytesMax: 32 * 1024 * 1024, setting: 'of a GraphQL request' };

/** The address that the client used. */
function addressOf({ protocol, host }: FastifyRequest): string {
  return `${protocol}://${host}`;
}

declare module 'fastify' {
  interface FastifyRequest {
    graphql: GraphqlContext | null;
  }
}
