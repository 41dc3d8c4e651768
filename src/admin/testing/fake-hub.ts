import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What goes wrong once with a file. */
type Fault =
  | { kind: 'cut'; afterBytes: number }
  | { kind: 'stall'; afterBytes: number }
  | { kind: 'wrong byte' }
  | { kind: 'no ranges' }
  | { kind: 'status'; status: number };

export type FakeHub = {
  endpoint: string;
  /** Files of a repository at its newest commit; large ones are kept as LFS objects, on another origin. */
  files: Map<string, Buffer>;
  commit: string;
  /** What must be sent along to see the repository; empty: nothing. */
  token: string;
  /** Faults still to come, by file. */
  faults: Map<string, Fault[]>;
  /** The requests for files, as `path` or `path from byte`. */
  asked: string[];
  /** Whether the token went to the origin of the large files. */
  leaked: boolean;
  close(): Promise<void>;
};

/**
 * Replaces the Hugging Face hub, an external service: one repository, `team/model`, with redirects, etags and ranges.
 */
export async function startFakeHub(files: Record<string, Buffer>): Promise<FakeHub> {
  const store = createServer((request, response) => {
    if (request.headers.authorization) hub.leaked = true;
    serveFile(hub, request, response);
  });
  const front = createServer((request, response) => answer(hub, request, response, addressOf(store)));
  await Promise.all(
    [store, front].map((server) => new Promise((done) => server.listen(0, '127.0.0.1', () => done(0)))),
  );
  const hub: FakeHub = {
    endpoint: addressOf(front),
    files: new Map(Object.entries(files)),
    commit: 'c0ffee0000000000000000000000000000000001',
    token: '',
    faults: new Map(),
    asked: [],
    leaked: false,
    close: async () => {
      for (const server of [front, store]) {
        server.closeAllConnections();
        await new Promise((done) => server.close(done));
      }
    },
  };
  return hub;
}

const lfsBytesMin = 1000;
const info = {
  _id: '1',
  id: 'team/model',
  private: false,
  downloads: 0,
  likes: 0,
  gated: false,
  lastModified: '2026-01-01',
};

function answer(hub: FakeHub, request: IncomingMessage, response: ServerResponse, store: string) {
  const { pathname } = new URL(request.url!, 'http://hub');
  if (hub.token && request.headers.authorization !== `Bearer ${hub.token}`)
    return send(response, 401, { error: 'Invalid' });
  if (!pathname.includes('/team/model/')) return send(response, 404, { error: 'Repository not found' });
  if (pathname.includes('/revision/')) return send(response, 200, { ...info, sha: hub.commit });
  if (pathname.includes('/tree/'))
    return send(
      response,
      200,
      [...hub.files].map(([path, bytes]) => entry(path, bytes)),
    );
  const path = pathOf(pathname);
  if ((hub.files.get(path)?.length ?? 0) < lfsBytesMin) return serveFile(hub, request, response);
  return response.writeHead(302, { location: store + pathname }).end();
}

function entry(path: string, bytes: Buffer) {
  const oid = createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
  const lfs = { oid: createHash('sha256').update(bytes).digest('hex'), size: bytes.length, pointerSize: 130 };
  return { type: 'file', path, size: bytes.length, oid, ...(bytes.length < lfsBytesMin ? {} : { lfs }) };
}

function serveFile(hub: FakeHub, request: IncomingMessage, response: ServerResponse) {
  const path = pathOf(new URL(request.url!, 'http://hub').pathname);
  const whole = hub.files.get(path);
  const fault = hub.faults.get(path)?.shift();
  const range = /bytes=(\d+)-(\d*)/.exec(fault?.kind === 'no ranges' ? '' : (request.headers.range ?? ''));
  const start = Number(range?.[1] ?? 0);
  hub.asked.push(start > 0 ? `${path} from ${start}` : path);
  if (!whole || fault?.kind === 'status') return send(response, fault?.kind === 'status' ? fault.status : 404, {});
  const body = Buffer.from(whole.subarray(start, range?.[2] ? Number(range[2]) + 1 : undefined));
  if (fault?.kind === 'wrong byte') body[body.length - 1]! ^= 1;
  const headers: Record<string, string | number> = { 'content-length': body.length, etag: `"${path}"` };
  if (range) headers['content-range'] = `bytes ${start}-${start + body.length - 1}/${whole.length}`;
  response.writeHead(range ? 206 : 200, headers);
  if (fault?.kind !== 'cut' && fault?.kind !== 'stall') return response.end(body);
  response.write(
    body.subarray(0, fault.afterBytes),
    () => fault.kind === 'cut' && setImmediate(() => response.destroy()),
  );
}

function pathOf(pathname: string): string {
  return decodeURIComponent(/\/(?:resolve|raw)\/[^/]+\/(.*)$/.exec(pathname)?.[1] ?? '');
}

function send(response: ServerResponse, status: number, body: unknown) {
  return response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function addressOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
