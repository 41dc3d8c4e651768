import { isAgainstServer, ServerRefusal } from './failures.ts';
import type { Take } from './http-client.ts';
import type { VllmServer } from './server.ts';
import type { Adapter } from './server-adapters.ts';

/** Sends a request to a server, and passes on the parts of its answer. */
export type Send<Part> = (address: string, signal: AbortSignal, take: Take<Part>) => Promise<void>;

/** Sends a request to one server. Until the first part, it also ends when the server is lost. @throws Failure */
export function sendToServer<Part>(
  server: VllmServer,
  adapter: Adapter | null,
  signal: AbortSignal,
  send: Send<Part>,
  take: Take<Part>,
): Promise<void> {
  const sendCounted = () => counted(server, signal, send, take);
  return adapter === null ? sendCounted() : withAdapter(server, adapter, sendCounted);
}

/** A server that has started anew in the meantime has lost its adapters. */
async function withAdapter(server: VllmServer, adapter: Adapter, send: () => Promise<void>): Promise<void> {
  for (let isAgain = false; ; isAgain = true) {
    const held = await server.adapters.hold(adapter);
    try {
      return await send();
    } catch (error) {
      if (isAgain || !(error instanceof ServerRefusal && error.isUnknownModel)) throw error;
      held.isGone();
    } finally {
      held.release();
    }
  }
}

async function counted<Part>(
  server: VllmServer,
  signal: AbortSignal,
  send: Send<Part>,
  take: Take<Part>,
): Promise<void> {
  const leaving = new AbortController();
  const { lost } = server;
  const leave = () => leaving.abort(lost.reason);
  lost.addEventListener('abort', leave);
  server.inFlight++;
  let hasBegun = false;
  const takeBegun = (part: Part) => {
    if (!hasBegun) {
      server.requestSucceeded();
      lost.removeEventListener('abort', leave);
    }
    hasBegun = true;
    return take(part);
  };
  try {
    await send(server.address, AbortSignal.any([signal, leaving.signal]), takeBegun);
  } catch (error) {
    if (!signal.aborted && isAgainstServer(error)) server.requestFailed(error);
    if (error instanceof ServerRefusal && error.isUnknownModel) void server.check(); // it may have started anew
    throw error;
  } finally {
    lost.removeEventListener('abort', leave);
    server.inFlight--;
  }
}
