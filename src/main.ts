import type { AddressInfo } from 'node:net';
import { routes } from './api/routes.ts';
import type { Config } from './config.ts';
import { openContext } from './context.ts';
import { buildServer } from './http/server.ts';
import { openLog } from './log.ts';

export type RunningServer = {
  /** Where clients reach it, such as `http://127.0.0.1:7400`. */
  address: string;
  /** The owner's key, at the very first start only. */
  apiKey: string | null;
  /** Answers what was asked, then closes the stores. */
  close(): Promise<void>;
};

/** Opens the stores, makes the owner where there is none, and listens. */
export async function serve(config: Config): Promise<RunningServer> {
  const log = openLog(config);
  const context = await openContext(config, log);
  try {
    const apiKey = await context.identity.ensureOwner({ name: config.owner, apiKey: config.apiKey });
    const app = await buildServer(context, routes(context));
    await app.listen({ host: config.host, port: config.port });
    return {
      address: config.publicUrl || addressOf(app.server.address() as AddressInfo),
      apiKey,
      async close() {
        await app.close();
        await context.close();
      },
    };
  } catch (error) {
    await context.close();
    throw error;
  }
}

function addressOf({ address, family, port }: AddressInfo): string {
  const host = address === '0.0.0.0' || address === '::' ? 'localhost' : address;
  return `http://${family === 'IPv6' && host !== 'localhost' ? `[${host}]` : host}:${port}`;
}
