import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import type { Config } from '../config.ts';
import type { Caller, Identity } from '../identity/identity.ts';
import type { Log } from '../log.ts';
import { graphqlPlugin } from '../wandb/graphql.ts';
import { bind, type Route } from './bind.ts';
import { type Claim, openAdmission } from './bodies/admission.ts';
import { openBodyParser } from './bodies/body-parser.ts';
import { answerErrors, sendJson } from './error-response.ts';
import { multipart } from './multipart.ts';
import { openapiPage } from './openapi-page.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who sent the request; set on every path that needs a key. */
    caller: Caller;
    /** Its part of the bytes under way; null where it brings no data. */
    claim: Claim | null;
  }
}

/** Puts the routes, authentication, errors and the login calls behind one port. */
export async function buildServer(
  { config, log, identity }: { config: Config; log: Log; identity: Identity },
  routes: Route[],
): Promise<FastifyInstance> {
  const app: FastifyInstance = fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }), // see logRequests
    bodyLimit: config.bodyMaxBytes,
    trustProxy: config.trustedProxies === '' ? false : config.trustedProxies.split(',').map((each) => each.trim()),
    rewriteUrl: (request) => withoutPrefix(request.url ?? '/'),
    routerOptions: { maxParamLength: 1024 },
    forceCloseConnections: 'idle',
    return503OnClosing: false, // what arrives on an open connection while we stop is still answered
  });
  app.decorateRequest('caller');
  app.decorateRequest('claim', null);
  answerErrors(app);
  acceptBytes(app);
  logRequests(app);
  hangUpWhenClosing(app);
  await app.register(multipart, { fileSizeMax: config.bodyMaxBytes });
  await app.register(graphqlPlugin, { identity });
  await app.register(openapiPage);
  const bodies = openBodyParser();
  app.addHook('onClose', () => bodies.close());
  const door = { config, identity, bodies, admit: openAdmission(config.dataMaxBytes) };
  for (const each of routes) bind(app, each, door);
  refuseOtherMethods(app, routes);
  return app;
}

/** Clients that know only a base URL put `/traces` before every tracing path. */
function withoutPrefix(url: string): string {
  return url.startsWith('/traces/') ? url.slice('/traces'.length) : url;
}

/** Bodies are read as bytes; `bind` knows which are JSON, and which of their values must stay text. */
function acceptBytes(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
}

function logRequests(app: FastifyInstance): void {
  app.addHook('onResponse', async (request, reply) => {
    const ms = Math.round(reply.elapsedTime * 10) / 10;
    const line = { method: request.method, route: request.routeOptions.url ?? 'none', status: reply.statusCode, ms };
    const isFailure = reply.statusCode >= 500 && reply.statusCode !== 507; // a full disk has a line of its own
    request.log[isFailure ? 'error' : 'debug'](line, 'request');
  });
}

/** A connection that was busy when closing began would stay open after its answer, and hold up the end by its keep-alive time. */
function hangUpWhenClosing(app: FastifyInstance): void {
  app.addHook('preClose', async () => {
    const timer = setInterval(() => app.server.closeIdleConnections(), 20);
    const patience = setTimeout(() => app.server.closeAllConnections(), patienceMs); // a body that never comes to its end
    app.server.once('close', () => {
      clearInterval(timer);
      clearTimeout(patience);
    });
  });
}

/** How long a stop waits for the requests under way. */
const patienceMs = 20_000;

function refuseOtherMethods(app: FastifyInstance, routes: Route[]): void {
  const served = new Map<string, Set<string>>();
  for (const { endpoint } of routes) {
    for (const path of [endpoint.path, ...(endpoint.aliases ?? [])]) {
      served.set(path, (served.get(path) ?? new Set()).add(endpoint.method));
    }
  }
  for (const [path, methods] of served) {
    const others = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'].filter((method) => !methods.has(method));
    app.route({
      method: others,
      url: path.replaceAll('{', ':').replaceAll('}', ''),
      handler: (_request, reply) => {
        reply.header('allow', [...methods].join(', '));
        return sendJson(reply, 405, { detail: 'Method Not Allowed' });
      },
    });
  }
}
