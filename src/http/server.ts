import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import type { Config } from '../config.ts';
import { badRequest } from '../contract/errors.ts';
import type { Caller, Identity } from '../identity/identity.ts';
import type { Log } from '../log.ts';
import { fileStreamPlugin } from '../wandb/file-stream.ts';
import { graphqlPlugin } from '../wandb/graphql.ts';
import type { WandbParts } from '../wandb/parts.ts';
import { storagePlugin } from '../wandb/storage.ts';
import { allowedMethods, firstSegments } from './allowed-methods.ts';
import { authenticate } from './authenticate.ts';
import { bind, type Route } from './bind.ts';
import { openAdmission } from './bodies/admission.ts';
import { type BodyPace, openPace } from './bodies/body-pace.ts';
import { openBodyParser } from './bodies/body-parser.ts';
import { wandbReaders } from './bodies/wandb-readers.ts';
import { answerErrors, answerPathErrors, answerUnknownPaths } from './error-response.ts';
import { multipart } from './multipart.ts';
import { openapiPage } from './openapi-page.ts';
import { builtPage, servePage } from './page/page.ts';
import { withoutPrefix } from './path-prefix.ts';
import { pathParameterMax, requestError } from './protocol-errors.ts';
import { sendDownload } from './send-download.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who sent the request; set on every path that requires a key. */
    caller: Caller;
  }
}

type Parts = {
  config: Config;
  log: Log;
  identity: Identity;
  services: WandbParts['services'];
  metrics: { beginRequest(): () => void; request(answered: AnsweredRequest): void };
};
type AnsweredRequest = { method: string; route: string; status: number; ms: number };

/** Answers the routes and the requests of W&B clients, with authentication and errors. `listener.ts` has the port. */
export async function buildServer(
  { config, log, identity, services, metrics }: Parts,
  routes: Route[],
  pageDirectory = builtPage,
): Promise<FastifyInstance> {
  const app: FastifyInstance = fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }), // see logRequests
    trustProxy: config.trustedProxies === '' ? false : config.trustedProxies.split(',').map((each) => each.trim()),
    rewriteUrl: (request) => withoutPrefix(request.url ?? '/'),
    routerOptions: { maxParamLength: pathParameterMax },
    frameworkErrors: answerPathErrors,
  });
  app.decorateRequest('caller');
  app.decorateRequest('arriving');
  answerErrors(app);
  leaveBodies(app);
  logRequests(app, metrics);
  const pace = openPace({ bytesPerSecondMin: config.bodyBytesPerSecondMin, secondsMax: config.bodySecondsMax });
  app.addHook('onClose', async () => pace.close());
  guardRequests(app, pace);
  await app.register(multipart, { fileSizeMax: config.bodyMaxBytes });
  const admitData = openAdmission(config.dataMaxBytes, 'HEDDLE_DATA_MAX_BYTES');
  const bodies = openBodyParser();
  app.addHook('onClose', () => bodies.close());
  const wandb: WandbParts = {
    identity,
    authenticate: (request) => authenticate(request, identity),
    services,
    fileLimit: { bytesMax: config.artifactFileMaxBytes, setting: 'HEDDLE_ARTIFACT_FILE_MAX_BYTES' },
    ...wandbReaders({ pace, admit: admitData, bodies }),
    sendDownload,
  };
  for (const plugin of [graphqlPlugin, fileStreamPlugin, storagePlugin]) await app.register(plugin, wandb);
  await app.register(openapiPage);
  const answerPage = await servePage(app, { directory: pageDirectory, reserved: firstSegments(routes) });
  answerUnknownPaths(app, allowedMethods(routes), answerPage);
  const admitQuery = openAdmission(queryBytesUnderWayMax, 'bytes of queries');
  const door = { config, identity, bodies, pace, admitData, admitQuery };
  for (const each of routes) bind(app, each, door);
  return app;
}

/** How many bodies of queries may be arriving or waiting to be parsed at once. */
const queryBytesUnderWayMax = 64 * 1024 * 1024;

/** Rejects what no route should see, and handles the rest of a body after the response. */
function guardRequests(app: FastifyInstance, pace: BodyPace): void {
  app.addHook('onRequest', async ({ raw, url }) => {
    const error = requestError(raw);
    if (error) throw error;
    if (/%00/.test(url)) throw badRequest('The address contains %00, which no name can have.');
  });
  // After the response, Node would read the rest of an unread body at full speed; stop it first.
  app.addHook('onSend', async ({ raw }) => pace.discard(raw));
}

/** Bodies are not read here: `bind` knows how they may arrive, which are JSON, and which values must stay text. */
function leaveBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _body, done) => done(null));
}

/** Bodies, streams, budgets and figures each listen for the end of a response. */
const listenersMax = 30;

function logRequests(app: FastifyInstance, metrics: Parts['metrics']): void {
  app.addHook('onRequest', async (_request, reply) => {
    reply.raw.setMaxListeners(listenersMax);
    reply.raw.once('close', metrics.beginRequest()); // also if the client hangs up
  });
  app.addHook('onResponse', async (request, reply) => {
    const ms = Math.round(reply.elapsedTime * 10) / 10;
    const line = { method: request.method, route: request.routeOptions.url ?? 'none', status: reply.statusCode, ms };
    metrics.request(line);
    // A full disk and the state of the stores are logged separately, and probes ask every few seconds.
    const isFailure = reply.statusCode >= 500 && reply.statusCode !== 507 && line.route !== '/health/ready';
    request.log[isFailure ? 'error' : 'debug'](line, 'request');
  });
}
