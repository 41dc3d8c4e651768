import { openTinkerHttp } from './client/http.ts';
import { supportedModels } from './client/session.ts';

/** Asks a Tinker server once what it trains. @returns its host and the names of base models @throws Failure */
export async function inspectTinkerServer(
  { url, apiKey }: { url: string; apiKey: string },
  signal: AbortSignal,
): Promise<{ host: string; models: string[] }> {
  const http = openTinkerHttp({ url, apiKey, retry: { firstMs: 0, waitMsMax: 0, totalMsMax: 0 } });
  return { host: http.host, models: (await supportedModels(http, signal)).map(({ name }) => name) };
}
