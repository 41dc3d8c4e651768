import type { AddressInfo } from 'node:net';
import type { AdminContext } from './admin/admin-context.ts';
import { startAdminServer } from './admin/server.ts';
import { signInLink } from './admin/sign-in.ts';
import { routes } from './api/routes.ts';
import type { Config } from './config.ts';
import type { Context } from './context.ts';
import { buildServer } from './http/server.ts';
import { openLog } from './log.ts';
import { openContext } from './open/context.ts';
import { letThreadsGiveWay } from './util/give-way.ts';

export type RunningServer = {
  /** Where clients reach it, such as `http://127.0.0.1:7400`. */
  address: string;
  /** The owner's key, at the very first start only. */
  apiKey: string | null;
  /** Opens the web page and signs the owner in, once. */
  signInLink: string | null;
  /** Answers what was asked, then closes the stores. */
  close(): Promise<void>;
};

/** Opens the stores, makes the owner where there is none, and listens. */
export async function serve(config: Config): Promise<RunningServer> {
  const context = await openContext(config, openLog(config));
  letThreadsGiveWay();
  try {
    return await listen(context);
  } catch (error) {
    await context.close();
    throw error;
  }
}

/** Stops in order at SIGTERM and SIGINT, with exit code 0; a second signal stops at once. */
export function stopOnSignals(server: RunningServer): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      process.once(signal, () => process.exit(130));
      void server.close().then(() => process.exit(0));
    });
  }
}

/** What the commands of `heddle` work on. */
export function adminContext(context: Context, address: string | null): AdminContext {
  return { ...context, address };
}

async function listen(context: Context): Promise<RunningServer> {
  const { config, identity, log } = context;
  const apiKey = await identity.ensureOwner({ name: config.owner, apiKey: config.apiKey });
  await warnOfUnknownKey(context);
  const app = await buildServer(context, routes(context));
  await app.listen({ host: config.host, port: config.port });
  const address = config.publicUrl || addressOf(app.server.address() as AddressInfo);
  await context.startJobs();
  const admin = await startAdminServer(adminContext(context, address), log);
  return {
    address,
    apiKey,
    signInLink: await signInLink(identity, address),
    async close() {
      await admin.close();
      await app.close(); // waits for the requests under way
      await context.close();
    },
  };
}

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
