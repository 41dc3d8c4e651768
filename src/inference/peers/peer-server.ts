import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { deserialize } from 'node:v8';
import type { Tokenized, TokenizerDescription } from '../../chat/types.ts';
import { busy, Failure } from '../../util/failures.ts';
import { toWireError } from '../../util/workers/messages.ts';
import type { AdapterModel } from '../inference.ts';
import type { ModelReader } from '../model-reader.ts';
import type { OwnInference } from '../own/own-inference.ts';
import { heartbeat, toFrame } from './frames.ts';
import { type PeerFrame, type PeerRequest, type PeerResult, path, processHeader } from './messages.ts';
import { openTextSender } from './send-text-files.ts';
import { serverTls } from './tls.ts';

export type PeerServer = {
  port: number;
  /** Resolves when no forwarded request is under way. */
  ended(): Promise<void>;
  close(): Promise<void>;
};

type Options = {
  host: string;
  /** 0 for a free one. */
  port: number;
  psk: Buffer;
  /** The id of this process. */
  id: string;
  own: OwnInference;
  reader: ModelReader;
  requestBytesMax: number;
  /** Aborts when this process takes no more requests of others. */
  draining: AbortSignal;
  /** Called with each conversation that is served here because another process was full. */
  onOverflow(conversation: string): void;
};

/** Takes requests of the other processes, and of nobody else. @throws if it cannot listen there */
export async function openPeerServer(options: Options): Promise<PeerServer> {
  const { host, port, psk, id, requestBytesMax, draining } = options;
  const parts = { ...options, sendTextFiles: openTextSender(options.reader) };
  const underWay = new Set<Promise<void>>();
  const server = createServer({ ...serverTls(psk), keepAliveTimeout: keptMs }, (request, response) => {
    if (request.method !== 'POST' || request.url !== path) return refuse(response, 404);
    if (request.headers[processHeader] !== id) return refuse(response, 421);
    if (draining.aborted) return refuse(response, 503);
    const work = answer(request, response).finally(() => underWay.delete(work));
    underWay.add(work);
  });
  server.requestTimeout = requestMsMax;
  server.on('tlsClientError', () => {}); // somebody without the key
  server.listen(port, host);
  await once(server, 'listening');

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const left = new AbortController();
    response.once('close', () => left.abort(new Error('The process that has forwarded the request has hung up.')));
    response.on('error', () => {});
    response.flushHeaders(); // the sign that this process responds at all
    const beating = setInterval(() => response.write(heartbeat), heartbeatMs);
    const send = async (frame: PeerFrame) => {
      if (response.write(toFrame(frame)) || left.signal.aborted) return;
      await once(response, 'drain', { signal: left.signal });
    };
    try {
      const body = await readBody(request, requestBytesMax);
      const value = await perform(deserialize(body) as PeerRequest, left.signal, send, parts);
      await send({ kind: 'result', value });
    } catch (error) {
      if (!left.signal.aborted)
        response.write(toFrame({ kind: 'error', error: toWireError(error) } satisfies PeerFrame));
    } finally {
      clearInterval(beating);
      response.end();
    }
  }

  return {
    port: (server.address() as AddressInfo).port,
    async ended() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await Promise.all(underWay);
    },
  };
}

async function perform(
  asked: PeerRequest,
  signal: AbortSignal,
  send: (frame: PeerFrame) => Promise<void>,
  {
    own,
    reader,
    onOverflow,
    sendTextFiles,
  }: Pick<Options, 'own' | 'reader' | 'onOverflow'> & {
    sendTextFiles: ReturnType<typeof openTextSender>;
  },
): Promise<PeerResult> {
  const { kind } = asked;
  switch (kind) {
    case 'generate': {
      const { model, request, mayWait, overflow } = asked;
      if (!mayWait) checkRunsNow(own, model.id);
      const { model: _, events, ...accepted } = await own.generate(model, request, signal);
      if (overflow !== null) onOverflow(overflow);
      await send({ kind: 'accepted', accepted });
      for await (const event of events) await send({ kind: 'event', event });
      return null;
    }
    case 'embed':
      if (!asked.mayWait) checkRunsNow(own, asked.model.id);
      return own.embed(asked.model, asked.request, signal);
    case 'textHalf':
      return textHalf(own, asked, signal);
    case 'loadAdapter':
      await own.loadAdapter(asked.model as AdapterModel);
      return null;
    case 'unloadAdapter':
      await own.unloadAdapter(asked.model as AdapterModel);
      return null;
    case 'sizes':
      return reader.sizes(asked.model);
    case 'chatTemplates':
      return reader.chatTemplates(asked.model);
    case 'fileDigests':
      return reader.fileDigests(asked.model);
    case 'textFiles':
      await sendTextFiles(asked, send);
      return null;
    default:
      kind satisfies never;
      throw new Failure('unsupported', 'This process does not know the request.');
  }
}

/** A request that would have to wait is better served by a process that is idle. @throws Failure */
export function checkRunsNow(own: Pick<OwnInference, 'hasPlace'>, id: string): void {
  if (!own.hasPlace(id)) throw busy('The process has no place for another request to this model.');
}

function textHalf(
  own: OwnInference,
  { model, request }: PeerRequest & { kind: 'textHalf' },
  signal: AbortSignal,
): Promise<Tokenized | TokenizerDescription> {
  const { kind } = request;
  if (kind === 'describe') return own.describeTokenizer(model, request.tenant, signal);
  if (kind === 'tokenize') return own.tokenize(model, request, signal);
  return own.detokenize(model, { tenant: request.tenant, ids: [...request.ids] }, signal);
}

async function readBody(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > bytesMax) throw new Failure('tooLarge', `A request that is forwarded may have ${bytesMax} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { connection: 'close' }).end();
}

const keptMs = 60_000;
const requestMsMax = 60_000;
/** How often a process shows that it responds. */
const heartbeatMs = 2_000;
