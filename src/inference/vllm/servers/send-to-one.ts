import { Failure, notFound } from '../../../util/failures.ts';
import { chooseServer } from './choose-server.ts';
import { ServerLost } from './failures.ts';
import type { Take } from './http-client.ts';
import { type Send, sendToServer } from './send-to-server.ts';
import type { VllmServer } from './server.ts';
import { loadsNoAdapters } from './server-adapters.ts';

export type VllmRequest = {
  model: string;
  /** The name of an adapter over it that was loaded, or that servers list. */
  adapter?: string | null;
  /** What vLLM is asked, without `model`, `stream` and `stream_options`. */
  body: Record<string, unknown>;
  /** Requests with the same one go to the same server: the digest of the beginning of a prompt. Null: to the least busy one. */
  affinity: string | null;
  signal: AbortSignal;
};

type Options = {
  servers: readonly VllmServer[];
  /** Where the files of an adapter are that was loaded here. */
  pathOf(adapter: string): string | undefined;
  attemptsMax: number;
};

/** Sends a request to one server after another until one begins to answer, and stays with it. @throws Failure */
export async function sendToOne<Part>(
  { servers, pathOf, attemptsMax }: Options,
  request: VllmRequest,
  send: Send<Part>,
  take: Take<Part>,
): Promise<void> {
  const { adapter = null, affinity, signal } = request;
  const path = adapter === null ? undefined : pathOf(adapter);
  const loading = adapter === null || path === undefined ? null : { name: adapter, path };
  const left = new Set(ableServers(servers, request, path));
  const key = affinity === null ? null : `${adapter ?? ''} ${affinity}`;
  let failure: Failure | null = null;
  const again = new Set<VllmServer>();
  for (let attempts = 0; attempts < attemptsMax; attempts++) {
    const server = chooseServer([...left], key);
    if (!server) break;
    let hasBegun = false;
    try {
      return await sendToServer(server, loading, signal, send, (part) => {
        hasBegun = true;
        return take(part);
      });
    } catch (error) {
      signal.throwIfAborted();
      if (hasBegun || !mayGoElsewhere(error)) throw error;
      failure = error;
      // An idle connection may be closed at the moment when it is used again.
      const wasClosed = error instanceof ServerLost && error.how === 'closed';
      if (!wasClosed || again.has(server)) left.delete(server);
      again.add(server);
    }
  }
  throw failure ?? noServerResponds(request.model);
}

/** @throws Failure if no server has the model, or none could have the adapter */
export function ableServers(
  servers: readonly VllmServer[],
  { model, adapter = null }: Pick<VllmRequest, 'model' | 'adapter'>,
  path: string | undefined,
): VllmServer[] {
  const serving = servers.filter((server) => server.serves(model));
  if (serving.length === 0) {
    if (servers.some(({ facts }) => facts === null)) throw noServerResponds(model);
    throw notFound(`No vLLM server serves the model ${model}.`);
  }
  if (adapter === null) return serving;
  const listing = serving.filter(({ facts }) => facts?.adapters.some(({ id }) => id === adapter));
  if (path === undefined) {
    if (listing.length > 0) return listing;
    throw notFound(`No vLLM server has the adapter ${adapter} of ${model}.`);
  }
  const able = serving.filter(({ answering }) => answering.kind !== 'several');
  if (able.length === 0)
    throw loadsNoAdapters('is several processes behind one address, and an adapter would be loaded into one of them');
  return able;
}

/** Whether another server may do better. */
function mayGoElsewhere(error: unknown): error is Failure {
  return error instanceof Failure && ['busy', 'unavailable', 'notFound'].includes(error.kind);
}

export function noServerResponds(model: string): Failure {
  const message = `No vLLM server that serves ${model} responds. Try again in a moment.`;
  return new Failure('unavailable', message, {}, { rule: message });
}
