import { serialize } from 'node:v8';
import { Agent } from 'undici';
import type { Accepted, GenerationEvent } from '../../chat/types.ts';
import type { OfferingProcess } from '../../domain/process-offer.ts';
import { fromWireError } from '../../util/workers/messages.ts';
import { modelUnavailable } from '../hosts/model-unavailable.ts';
import { readFrames } from './frames.ts';
import { type PeerFrame, type PeerRequest, type PeerResult, path, peerErrors, processHeader } from './messages.ts';
import { clientTls } from './tls.ts';

/** The other process could not be asked, or has ended before it accepted the request. */
export class PeerLost extends Error {
  override name = 'PeerLost';
}

export type PeerClient = {
  /** A request with one result. @throws Failure, PeerLost */
  ask(peer: OfferingProcess, request: PeerRequest, signal?: AbortSignal): Promise<PeerResult>;
  /** Resolves when the request is accepted. @throws Failure, PeerLost */
  generate(
    peer: OfferingProcess,
    request: PeerRequest & { kind: 'generate' },
    signal: AbortSignal,
  ): Promise<{ accepted: Accepted; events: AsyncIterable<GenerationEvent> }>;
  /** The answer as it comes, up to its last frame. @throws Failure, PeerLost */
  frames(peer: OfferingProcess, request: PeerRequest, signal?: AbortSignal): AsyncGenerator<PeerFrame>;
  close(): Promise<void>;
};

export function openPeerClient(psk: Buffer): PeerClient {
  const agent = new Agent({
    connect: { ...clientTls(psk), timeout: connectMsMax },
    maxCachedSessions: 0,
    headersTimeout: silentMsMax,
    bodyTimeout: silentMsMax,
    keepAliveTimeout: keptMs,
    pipelining: 1,
  });

  async function send({ id, offer }: OfferingProcess, request: PeerRequest, signal?: AbortSignal) {
    const host = offer.host.includes(':') ? `[${offer.host}]` : offer.host;
    const { statusCode, body } = await agent
      .request({
        origin: `https://${host}:${offer.port}`,
        path,
        method: 'POST',
        headers: { [processHeader]: id, 'content-type': 'application/octet-stream' },
        body: serialize(request),
        ...(signal ? { signal } : {}),
      })
      .catch((cause) => {
        signal?.throwIfAborted();
        throw new PeerLost('The other process does not respond.', { cause });
      });
    body.on('error', () => {}); // reading it throws, too
    if (statusCode === 200) return body;
    await body.dump();
    throw new PeerLost(`The other process refuses requests with ${statusCode}.`);
  }

  /** Frames until the last one. A connection that ends before it is lost. */
  async function* framesOf(
    peer: OfferingProcess,
    request: PeerRequest,
    signal?: AbortSignal,
  ): AsyncGenerator<PeerFrame> {
    const body = await send(peer, request, signal);
    let failure: Error | null = null;
    try {
      for await (const frame of readFrames<PeerFrame>(body)) {
        if (frame.kind === 'error') {
          failure = fromWireError(frame.error, peerErrors);
          throw failure;
        }
        yield frame;
        if (frame.kind === 'result') return;
      }
    } catch (error) {
      signal?.throwIfAborted();
      throw failure ?? lost(error);
    } finally {
      body.destroy();
    }
    throw lost(undefined);
  }

  return {
    async ask(peer, request, signal) {
      for await (const frame of framesOf(peer, request, signal)) if (frame.kind === 'result') return frame.value;
      throw lost(undefined);
    },
    async generate(peer, request, signal) {
      const frames = framesOf(peer, request, signal);
      const first = await frames.next();
      if (first.done || first.value.kind !== 'accepted') throw lost(undefined);
      const accepted = { ...leftOutByOlder, ...first.value.accepted };
      return { accepted, events: eventsOf(frames, request.model.name) };
    },
    frames: framesOf,
    close: () => agent.destroy(),
  };
}

/** To stop reading closes the connection, which cancels the generation at the other process. */
async function* eventsOf(frames: AsyncGenerator<PeerFrame>, name: string): AsyncGenerator<GenerationEvent> {
  try {
    for await (const frame of frames) {
      if (frame.kind !== 'event') continue;
      const { event } = frame;
      if (event.kind === 'choice') event.drawnLogprobs ??= []; // older versions leave it out, too
      yield event;
    }
  } catch (error) {
    if (!(error instanceof PeerLost)) throw error;
    throw modelUnavailable(`The process that served the model ${name} ended. Try again.`, { cause: error });
  }
}

/** What processes of older versions do not send, which serve requests while a deployment is upgraded. */
const leftOutByOlder: Pick<Accepted, 'draws' | 'origin'> = {
  draws: 'unreported',
  origin: {
    engine: { name: 'heddle', version: null, arithmetic: null, threads: null, batchInvariant: null },
    digests: { weights: null, adapter: null, tokenizer: null, template: null },
  },
};

function lost(cause: unknown): PeerLost {
  return new PeerLost('The other process has ended.', { cause });
}

const connectMsMax = 2_000;
/** The other process sends a heartbeat every two seconds. */
const silentMsMax = 8_000;
const keptMs = 30_000;
