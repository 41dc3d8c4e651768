import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import {
  type AddressInfo,
  createServer as createSocketServer,
  type Socket,
  type Server as SocketServer,
} from 'node:net';
import type { Config } from '../config.ts';
import { withinMs } from '../util/within-ms.ts';
import { answerMalformed, answerOtherProtocols, headerBytesMax, limitConnections } from './protocol-errors.ts';
import { WaitingRoom } from './waiting-room.ts';

/** The port that clients connect to. */
export type Listener = {
  /** @throws Node's error if the port cannot be used */
  open(): Promise<void>;
  address(): AddressInfo;
  /** Passes requests to a handler from now on. Those that have waited for it come first. */
  serve(handler: RequestListener): void;
  /** Accepts no further connections. Resolves when no request is under way. */
  drain(): Promise<void>;
  /** Ends what is still under way, and closes all connections. */
  close(): Promise<void>;
};

type Options = Pick<Config, 'host' | 'port' | 'keepAliveSeconds' | 'bodySecondsMax' | 'connectionsMax'>;

/** @param draining once it aborts, each connection closes with its next response */
export function createListener(options: Options, draining: AbortSignal): Listener {
  const { host, port, keepAliveSeconds, connectionsMax } = options;
  const sockets = new Set<Socket>();
  const underWay = new Set<ServerResponse>();
  const starting = new WaitingRoom();
  let handle: RequestListener = starting.handle;
  let onIdle = () => {};

  const server = createServer(timeouts(options), (request, response) => {
    underWay.add(response);
    response.once('close', () => {
      underWay.delete(response);
      if (underWay.size === 0) onIdle();
    });
    if (draining.aborted) response.setHeader('connection', 'close');
    handle(request, response);
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('clientError', answerMalformed);
  limitConnections(server, connectionsMax);
  answerOtherProtocols(server);
  draining.addEventListener('abort', () => {
    for (const response of underWay) if (!response.headersSent) response.setHeader('connection', 'close');
  });
  let others: SocketServer[] = [];
  let closed: Promise<unknown> = Promise.resolve();

  return {
    async open() {
      await listen(server, host, port);
      if (host === 'localhost') others = await listenOnOthers(server);
    },
    address: () => server.address() as AddressInfo,
    serve(handler) {
      handle = handler;
      starting.leave(handler);
    },
    async drain() {
      stopAccepting();
      if (underWay.size > 0) await new Promise<void>((resolve) => (onIdle = resolve));
    },
    async close() {
      stopAccepting();
      // Browsers open connections before they need them. Node counts one without a byte as busy.
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
      server.closeIdleConnections();
      await withinMs(lingerMs, closed, () => {});
      server.closeAllConnections(); // also those of other addresses, for which the server does not wait
      await closed;
    },
  };

  function stopAccepting(): void {
    if (!server.listening) return;
    closed = once(server, 'close');
    for (const each of [server, ...others]) each.close(); // the idle connections too
  }

  function timeouts({ bodySecondsMax }: Options) {
    // Node applies it to a connection without a request, too, which a balancer may have opened in advance.
    const headersTimeout = (keepAliveSeconds + 1) * 1000;
    return {
      maxHeaderSize: headerBytesMax,
      keepAliveTimeout: keepAliveSeconds * 1000,
      headersTimeout,
      // A last limit for requests whose body has no minimum rate.
      requestTimeout: Math.max((bodySecondsMax + 60) * 1000, headersTimeout),
      connectionsCheckingInterval: 1000,
      requireHostHeader: false, // see requestError
    };
  }
}

/** How long clients may take to close their connections after the last response. */
const lingerMs = 1000;

async function listen(server: SocketServer, host: string, port: number): Promise<void> {
  server.listen({ host, port });
  await once(server, 'listening'); // rejects with the error of the server
}

/** `localhost` is the loopback address of IPv4 and that of IPv6. Clients try either first. */
async function listenOnOthers(server: Server): Promise<SocketServer[]> {
  const { address: used, port } = server.address() as AddressInfo;
  const addresses = (await lookup('localhost', { all: true })).map(({ address }) => address);
  const opened = addresses
    .filter((each) => each !== used)
    .map(async (address) => {
      const other = createSocketServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
        server.emit('connection', socket),
      );
      try {
        await listen(other, address, port);
        return [other];
      } catch {
        return []; // the machine has no such address, or another program has the port
      }
    });
  return (await Promise.all(opened)).flat();
}
