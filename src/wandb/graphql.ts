import type { FastifyInstance } from 'fastify';
import { unauthorized } from '../contract/errors.ts';
import type { Identity } from '../identity/identity.ts';
import type { graphqlAnswerer } from './answer-graphql.ts';
import type { GraphqlContext } from './resolvers.ts';

/** Serves `POST /graphql`, by which the SDKs of weave and wandb log in and make projects. */
export async function graphqlPlugin(app: FastifyInstance, { identity }: { identity: Identity }): Promise<void> {
  // GraphQL is loaded with the first request: it takes 300 ms and 20 MB, and most servers are asked rarely.
  let answer: ReturnType<typeof graphqlAnswerer> | undefined;
  app.removeAllContentTypeParsers(); // in this plugin's scope alone: GraphQL reads its own body
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
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
      answer ??= (await import('./answer-graphql.ts')).graphqlAnswerer(app.log);
      const response = await answer(request);
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
