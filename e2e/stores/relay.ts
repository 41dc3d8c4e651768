import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { type S3Server, s3ClientOf } from './swift-server.ts';

/** Another address of an S3 server. */
export type Relay = {
  endpoint: string;
  /** Method, path and range of the requests since the last call. */
  takeRequests(): string[];
  stop(): Promise<void>;
};

/** What the server seems to lack. */
export type Lacks = {
  /** It refuses to delete many objects at once, and ignores ranges, as some servers do. */
  isLimited?: boolean;
  /** It ignores or refuses conditions of puts. */
  conditions?: 'ignored' | 'refused';
  /** It forbids these methods. */
  forbidden?: string[];
  /** Each put fails with this code and status. */
  puts?: { code: string; status: number };
};

export async function startRelay(
  server: Pick<S3Server, 'endpoint' | 'credentials'>,
  lacks: Lacks = {},
): Promise<Relay> {
  let requests: string[] = [];
  const { hostname, port } = new URL(server.endpoint);
  const client = s3ClientOf(server);

  function forward(asked: IncomingMessage, answered: ServerResponse): void {
    const { method, url: path, headers } = asked;
    const forwarded = request({ hostname, port, method, path, headers }, (answer) => {
      answered.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(answered);
    });
    forwarded.on('error', () => answered.destroy());
    asked.pipe(forwarded);
  }

  /** Signed again without the header that is ignored. */
  async function forwardWithout(asked: IncomingMessage, answered: ServerResponse): Promise<void> {
    const [, Bucket, Key] = /^\/([^/]+)\/([^?]+)/.exec(asked.url!)!;
    if (asked.method === 'PUT') {
      const { ETag } = await client.send(new PutObjectCommand({ Bucket, Key, Body: await buffer(asked) }));
      answered.writeHead(200, { etag: ETag! }).end();
    } else {
      const { Body, ContentLength } = await client.send(new GetObjectCommand({ Bucket, Key }));
      answered.writeHead(200, { 'content-length': ContentLength! }).end(await Body!.transformToByteArray());
    }
  }

  function refuse(asked: IncomingMessage, answered: ServerResponse, status: number, code: string): void {
    asked.resume();
    const error = `<Error><Code>${code}</Code><Message>refused</Message></Error>`;
    answered.writeHead(status, { 'content-type': 'application/xml' }).end(asked.method === 'HEAD' ? '' : error);
  }

  const listener = createServer((asked, answered) => {
    const { method, url, headers } = asked;
    requests.push([method, url!.split('?')[0], headers.range].filter(Boolean).join(' '));
    const isConditional = method === 'PUT' && headers['if-none-match'] !== undefined;
    if (lacks.forbidden?.includes(method!)) refuse(asked, answered, 403, 'AccessDenied');
    else if (lacks.puts && method === 'PUT') refuse(asked, answered, lacks.puts.status, lacks.puts.code);
    else if (lacks.isLimited && /[?&]delete\b/.test(url!)) refuse(asked, answered, 501, 'NotImplemented');
    else if (lacks.conditions === 'refused' && isConditional) refuse(asked, answered, 501, 'NotImplemented');
    else if ((lacks.isLimited && headers.range) || (lacks.conditions && isConditional)) {
      forwardWithout(asked, answered).catch(() => answered.destroy());
    } else forward(asked, answered);
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
      client.destroy();
      listener.closeAllConnections();
      listener.close();
    },
  };
}
