import scalar from '@scalar/fastify-api-reference';
import type { FastifyInstance } from 'fastify';

/** The readable page of the OpenAPI document, at `/docs`. It loads nothing from other servers. */
export async function openapiPage(app: FastifyInstance): Promise<void> {
  await app.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
      pageTitle: 'heddle API',
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
    },
  });
}
