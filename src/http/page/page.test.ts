import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { endpoints } from '../../contract/endpoints.ts';
import { firstSegments } from '../allowed-methods.ts';
import { answerUnknownPaths } from '../error-response.ts';
import { servePage } from './page.ts';
import { isPagePath } from './page-paths.ts';

const script = "document.title = 'x';";
const html = `<!doctype html><script>${script}</script><script type="module" src="/assets/main-1.js"></script>`;
const reserved = firstSegments(endpoints.map((endpoint) => ({ endpoint, handler: async () => '' }) as never));
const directory = mkdtempSync(join(tmpdir(), 'heddle-page-'));
let app: FastifyInstance;

beforeAll(async () => {
  mkdirSync(join(directory, 'assets'));
  writeFileSync(join(directory, 'index.html'), html);
  writeFileSync(join(directory, 'secret.txt'), 'secret');
  writeFileSync(join(directory, 'assets/main-1.js'), 'plain');
  writeFileSync(join(directory, 'assets/main-1.js.br'), 'brotli');
  writeFileSync(join(directory, 'assets/main-1.js.gz'), 'gzip');
  app = await serving(directory);
});
afterAll(async () => {
  await app.close();
  rmSync(directory, { recursive: true });
});

async function serving(place: string): Promise<FastifyInstance> {
  const server = fastify();
  const answerPage = await servePage(server, { directory: place, reserved });
  answerUnknownPaths(server, () => null, answerPage);
  return server;
}

function get(url: string, headers: Record<string, string> = browser) {
  return app.inject({ method: 'GET', url, headers });
}

const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

describe('the document', () => {
  test.each([
    '/',
    '/sign-in',
    '/authorize?ref=models',
    '/ent/project',
    '/ent/project/',
    '/ent/my%20project/weave',
    '/ent/p/weave/traces?view=abc',
    '/ent/p/weave/objects/name/versions/digest',
    '/ent/p/weave/ops/name/versions/digest',
    '/ent/p/weave/leaderboards/name',
    '/ent/p/weave/agents/conversations/id',
    '/ent/p/r/call/018f',
    '/ent/p/runs/1ab',
    '/ent/p/sweeps/2cd',
  ])('is served at %s', async (url) => {
    const answer = await get(url);
    expect(answer).toMatchObject({ statusCode: 200, body: html });
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
  });

  test.each(['/v2/unknown', '/call/unknown', '/docs/x'])('is not served at %s', async (url) => {
    expect(await get(url)).toMatchObject({ statusCode: 404, body: '{"detail":"Not Found"}' });
  });

  test.each(['/unknown', '/ent/p/unknown', '/ent/p/r/unknown/1?x=1'])(
    'tells a person that there is nothing at %s, and a program as well',
    async (url) => {
      expect(await get(url)).toMatchObject({ statusCode: 404, body: html });
      expect(await get(url, { accept: '*/*' })).toMatchObject({ statusCode: 404, body: '{"detail":"Not Found"}' });
    },
  );

  test('is served to clients that accept anything, but not to those that ask for JSON or send data', async () => {
    expect(await get('/ent/p/weave', { accept: '*/*' })).toMatchObject({ statusCode: 200 });
    expect(await get('/ent/p/weave', { accept: 'application/json' })).toMatchObject({ statusCode: 404 });
    expect(await get('/ent/p/weave', { accept: 'application/json, */*' })).toMatchObject({ statusCode: 404 });
    expect(await app.inject({ method: 'POST', url: '/ent/p/weave', headers: browser })).toMatchObject({
      statusCode: 404,
    });
  });

  test('may only load and run what the server sends, and may not be embedded', async () => {
    const { headers } = await get('/');
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toMatch(/script-src 'self' 'sha256-[^']+';/);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
  });

  test('is asked for again each time, and sent again only after a change', async () => {
    const { headers } = await get('/');
    expect(headers['cache-control']).toBe('no-cache');
    const again = await get('/', { ...browser, 'if-none-match': String(headers.etag) });
    expect(again).toMatchObject({ statusCode: 304, body: '' });
  });
});

describe('an asset', () => {
  test.each([
    ['br', 'brotli'],
    ['gzip', 'gzip'],
    ['identity', 'plain'],
  ])('is sent as the browser accepts it (%s), and kept for good', async (encoding, body) => {
    const answer = await get('/assets/main-1.js', { 'accept-encoding': encoding });
    expect(answer).toMatchObject({ statusCode: 200, body });
    expect(answer.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(answer.headers['content-type']).toMatch(/javascript/);
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
  });

  test.each([
    '/assets/missing.js',
    '/assets/../secret.txt',
    '/assets/..%2fsecret.txt',
    '/assets/%2e%2e/secret.txt',
    '/secret.txt',
  ])('is not served from %s', async (url) => {
    const answer = await get(url);
    expect(answer.statusCode).toBeGreaterThanOrEqual(400);
    expect(answer.body).not.toContain('secret.txt');
    expect(answer.body).not.toBe('secret');
  });
});

test('a page that is not built says how to build it', async () => {
  const unbuilt = await serving(join(directory, 'assets'));
  const answer = await unbuilt.inject({ method: 'GET', url: '/', headers: browser });
  expect(answer).toMatchObject({ statusCode: 503 });
  expect(answer.body).toContain('npm run build:web');
  await unbuilt.close();
});

test('no path of an endpoint belongs to the page', () => {
  const shadowed = endpoints
    .flatMap(({ path, aliases = [] }) => [path, ...aliases])
    .filter((path) => isPagePath(path.replaceAll(/[{}]/g, ''), reserved));
  expect(shadowed).toEqual([]);
});
