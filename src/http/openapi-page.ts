import fastify, { type FastifyInstance } from 'fastify';

/** Serves the OpenAPI document as a readable page, at `/docs`. It loads nothing from other servers. */
export async function openapiPage(app: FastifyInstance): Promise<void> {
  // Loaded at the first visit: the page's code takes 250 ms and 26 MB, and plugins cannot be added to a started server.
  let page: Promise<FastifyInstance> | undefined;
  for (const url of ['/docs', '/docs/', '/docs/*']) {
    app.get(url, async (request, reply) => {
      page ??= openPage();
      const answer = await (await page).inject({ method: 'GET', url: request.url });
      return reply.code(answer.statusCode).headers(answer.headers).send(answer.rawPayload);
    });
  }
}

async function openPage(): Promise<FastifyInstance> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const page = fastify();
  await page.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
      pageTitle: 'heddle API',
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      showDeveloperTools: 'never',
      agent: { disabled: true },
      mcp: { disabled: true },
    },
  });
  await page.ready();
  return page;
}
