import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Another address of an S3 server. */
export type Relay = {
  endpoint: string;
  /** Method, path and range of the requests since the last call. */
  takeRequests(): string[];
  stop(): Promise<void>;
};

/** @param isLimited refuses to delete many objects at once, and ignores ranges, as some servers do */
export async function startRelay(server: string, { isLimited = false } = {}): Promise<Relay> {
  let requests: string[] = [];
  const { hostname, port } = new URL(server);

  function forward(asked: IncomingMessage, answered: ServerResponse): void {
    const { range: _ignored, ...limited } = asked.headers;
    const headers = isLimited ? limited : asked.headers;
    const { method, url: path } = asked;
    const forwarded = request({ hostname, port, method, path, headers }, (answer) => {
      answered.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(answered);
    });
    forwarded.on('error', () => answered.destroy());
    asked.pipe(forwarded);
  }

  const listener = createServer((asked, answered) => {
    requests.push([asked.method, asked.url!.split('?')[0], asked.headers.range].filter(Boolean).join(' '));
    if (!isLimited || !/[?&]delete\b/.test(asked.url!)) return forward(asked, answered);
    asked.resume();
    const error = '<Error><Code>NotImplemented</Code><Message>not implemented</Message></Error>';
    answered.writeHead(501, { 'content-type': 'application/xml' }).end(error);
  });
  await once(listener.listen(0, '127.0.0.1'), 'listening');
  return {
    endpoint: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    takeRequests() {
      const taken = requests;
      requests = [];
      return taken;
    },
    async stop() {
      listener.closeAllConnections();
      listener.close();
    },
  };
}
