import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { AdminContext } from './admin/admin-context.ts';
import { startAdminServer } from './admin/server.ts';
import { signInLink } from './admin/sign-in.ts';
import { routes } from './api/routes.ts';
import type { Config } from './config.ts';
import type { Context } from './context.ts';
import { createListener, type Listener } from './http/listener.ts';
import { buildServer } from './http/server.ts';
import { openLog } from './log.ts';
import { openContext } from './open/context.ts';
import { letThreadsGiveWay } from './util/give-way.ts';
import { withinMs } from './util/within-ms.ts';

export type RunningServer = {
  /** Where clients reach it, such as `http://127.0.0.1:7400`. */
  address: string;
  /** The owner's key, at the very first start only. */
  apiKey: string | null;
  /** Opens the web page and signs the owner in, once. */
  signInLink: string | null;
  /** Lets balancers know, answers what is under way, then closes the stores. */
  close(): Promise<void>;
};

/** Listens, opens the stores, and makes the owner where there is none. */
export async function serve(config: Config): Promise<RunningServer> {
  const draining = new AbortController();
  const listener = createListener(config, draining.signal);
  const log = openLog(config);
  try {
    const context = await openContext(config, log, { draining: draining.signal, beforeStores: listener.open });
    letThreadsGiveWay();
    return await start(context, listener, draining).catch(async (error) => {
      await context.close();
      throw error;
    });
  } catch (error) {
    await listener.close();
    throw error;
  }
}

/** What the commands of `heddle` work on. */
export function adminContext(context: Context, address: string | null): AdminContext {
  return { ...context, address };
}

async function start(context: Context, listener: Listener, draining: AbortController): Promise<RunningServer> {
  const { config, identity } = context;
  const apiKey = await identity.ensureOwner({ name: config.owner, apiKey: config.apiKey });
  await warnOfUnknownKey(context);
  const app = await buildServer(context, routes(context));
  await app.ready();
  const address = config.publicUrl || addressOf(listener.address());
  const stopJobs = await context.startJobs();
  const admin = await startAdminServer(adminContext(context, address), context.log);
  listener.serve(app.routing);
  return {
    address,
    apiKey,
    // Of processes that share their stores, the one that has made the owner prints a link.
    signInLink: context.peers.isAlone || apiKey !== null ? await linkFor(context, address) : null,
    async close() {
      draining.abort(); // no longer ready
      await Promise.all([stopJobs(), finish(context, listener, admin)]);
      await app.close();
      await context.close();
    },
  };
}

async function linkFor({ identity, log }: Context, address: string): Promise<string | null> {
  try {
    return await signInLink(identity, address);
  } catch (error) {
    log.warn({ err: error }, 'no link for signing in was made: run heddle sign-in'); // such as on a full disk
    return null;
  }
}

/** Answers what is asked until balancers know that the server is not ready, and then what is under way. */
async function finish(context: Context, listener: Listener, admin: { close(): Promise<void> }): Promise<void> {
  const { config, log, services, forwardedEnded, interrupt } = context;
  const answered = async () => {
    await listener.drain();
    await Promise.all([services.responses.ended(), forwardedEnded()]);
  };
  if (config.drainDelaySeconds > 0) log.info(`stopping: serves for ${config.drainDelaySeconds} s more`);
  await setTimeout(config.drainDelaySeconds * 1000);
  const finished = Promise.all([admin.close(), answered()]);
  await withinMs(config.drainSeconds * 1000, finished, () => {
    log.warn('requests did not finish within HEDDLE_DRAIN_SECONDS: they end with an error');
    return interrupt();
  });
  await withinMs(lastAnswerMs, finished, () => {});
  await listener.close();
}

/** How long requests may take to answer with an error. */
const lastAnswerMs = 2_000;

/** Changing the variable neither revokes the old key nor creates the new one; the user may expect both. */
async function warnOfUnknownKey({ config, identity, log }: Context): Promise<void> {
  if (config.apiKey === '' || (await identity.authenticate({ 'wandb-api-key': config.apiKey }))) return;
  log.warn(
    'HEDDLE_API_KEY is not an API key of this data directory: it is used only at the first start, and requests with it get ' +
      '401. To replace keys, run heddle keys create, then heddle keys revoke',
  );
}

function addressOf({ address, family, port }: AddressInfo): string {
  const host = address === '0.0.0.0' || address === '::' ? 'localhost' : address;
  return `http://${family === 'IPv6' && host !== 'localhost' ? `[${host}]` : host}:${port}`;
}
