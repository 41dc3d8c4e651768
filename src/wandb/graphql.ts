import type { FastifyInstance, FastifyRequest } from 'fastify';
import { unauthorized } from '../contract/errors.ts';
import type { Identity } from '../identity/identity.ts';
import type { graphqlAnswerer } from './answer-graphql.ts';
import type { GraphqlContext } from './resolvers.ts';

type Parts = {
  identity: Identity;
  /** Reads the body of a request, within its limits. */
  readText(request: FastifyRequest): Promise<string>;
};

/** Serves `POST /graphql`, which the SDKs of weave and wandb use to log in and create projects. */
export async function graphqlPlugin(app: FastifyInstance, { identity, readText }: Parts): Promise<void> {
  // GraphQL is loaded with the first request: it takes 300 ms and 20 MB, and most servers rarely need it.
  let answer: ReturnType<typeof graphqlAnswerer> | undefined;
  app.decorateRequest('graphql', null);

  app.route({
    method: 'POST',
    url: '/graphql',
    onRequest: async (request) => {
      const caller = await identity.authenticate(request.headers);
      if (!caller) throw unauthorized('This API key is not valid. `heddle keys create` makes one.');
      request.graphql = { identity, caller, address: `${request.protocol}://${request.host}` };
    },
    handler: async (request, reply) => {
      const body = await readText(request);
      answer ??= (await import('./answer-graphql.ts')).graphqlAnswerer(app.log);
      const response = await answer(request, body);
      return reply
        .code(response.status)
        .type('application/json; charset=utf-8')
        .send(await response.text());
    },
  });
}

declare module 'fastify' {
  interface FastifyRequest {
    graphql: GraphqlContext | null;
  }
}
