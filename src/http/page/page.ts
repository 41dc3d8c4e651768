import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import staticFiles from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { commonHeaders, pageHeaders } from './page-headers.ts';
import { isPagePath } from './page-paths.ts';

/** Where `npm run build:web` puts the page, in a clone and in the package. */
export const builtPage = fileURLToPath(new URL('../../../web/dist', import.meta.url));

/** Answers a request for the web page. Returns false if the request is not for it. */
export type AnswerPage = (request: FastifyRequest, reply: FastifyReply) => boolean;

/**
 * Serves the compiled web page in `directory`. Its assets have hashes in their names and never change. All pages are
 * the same document, which is sent for requests without a route.
 * @param reserved the first segments of the paths of the API
 */
export async function servePage(
  app: FastifyInstance,
  { directory, reserved }: { directory: string; reserved: ReadonlySet<string> },
): Promise<AnswerPage> {
  const assets = join(directory, 'assets');
  const isBuilt = existsSync(assets);
  if (isBuilt) await serveAssets(app, assets);

  return (request, reply) => {
    const isPage = isForPage(request, reserved);
    if (!isPage && !isLost(request, reserved)) return false;
    const html = isBuilt ? readDocument(directory) : null;
    if (html === null) reply.code(503).headers(pageHeaders(notBuilt)).send(notBuilt);
    else if (isPage) sendDocument(request, reply, html);
    else reply.code(404).headers(pageHeaders(html)).send(html);
    return true;
  };
}

/** The document, which is small; null while the page is being built. A rebuilt page is served at once. */
function readDocument(directory: string): string | null {
  try {
    return readFileSync(join(directory, 'index.html'), 'utf8');
  } catch {
    return null;
  }
}

function sendDocument({ headers }: FastifyRequest, reply: FastifyReply, html: string): void {
  const etag = `"${createHash('sha256').update(html).digest('base64url')}"`;
  reply.headers({ ...pageHeaders(html), etag });
  if (headers['if-none-match'] === etag) reply.code(304).send();
  else reply.code(200).send(html);
}

/** Sends the compressed file beside an asset if the browser accepts it. */
async function serveAssets(app: FastifyInstance, root: string): Promise<void> {
  await app.register(staticFiles, {
    root,
    prefix: '/assets/',
    preCompressed: true,
    immutable: true,
    maxAge: '1y',
    index: false,
    setHeaders: (reply) => void reply.headers(commonHeaders),
  });
}

/** API clients may request any path; only clients that accept HTML are sent the page. */
function isForPage({ method, url, headers }: FastifyRequest, reserved: ReadonlySet<string>): boolean {
  const { accept = '*/*' } = headers;
  if ((method !== 'GET' && method !== 'HEAD') || !/text\/html|\*\/\*/.test(accept)) return false;
  if (accept.includes('application/json') && !accept.includes('text/html')) return false;
  return isPagePath(url.split('?', 1)[0]!, reserved);
}

/** People at an unknown address get a page that says so and links back. API clients get JSON. */
function isLost({ method, url, headers }: FastifyRequest, reserved: ReadonlySet<string>): boolean {
  const [first = ''] = url.slice(1).split(/[/?]/, 1);
  const isOpened = method === 'GET' && headers.accept?.includes('text/html') === true;
  return isOpened && first !== 'assets' && !reserved.has(first);
}

const notBuilt = `<!doctype html>
<html lang="en">
<title>heddle</title>
<p>The web page is not built. Run <code>npm run build:web</code> and restart heddle.</p>
</html>
`;
