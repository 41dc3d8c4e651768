import { describe, expect, test } from 'vitest';
import { askRunning } from '../../admin/client.ts';
import { readConfig } from '../../config.ts';
import { testServer } from '../testing/server.ts';

const server = await testServer();

/** What a browser sends from the page of this server. */
const fromPage = { 'x-heddle-page': '1', 'sec-fetch-site': 'same-origin' };

function admin<Name extends Parameters<typeof askRunning>[1]>(
  name: Name,
  params: Parameters<typeof askRunning<Name>>[2],
) {
  return askRunning(readConfig({ data: server.data }, {}), name, params).then((asked) => asked!.answer);
}

function signIn(body: unknown, headers: Record<string, string> = fromPage) {
  return server.post('/session', body, { key: null, headers });
}

/** Signs in with a key, and returns the cookie as the browser sends it back. */
async function cookieFor(apiKey = server.key): Promise<string> {
  return cookieOf((await signIn({ api_key: apiKey })).headers);
}

function cookieOf(headers: Headers): string {
  return headers.get('set-cookie')!.split(';')[0]!;
}

function read(cookie: string, headers: Record<string, string> = {}) {
  return server.get('/session', { key: null, headers: { cookie, 'sec-fetch-site': 'same-origin', ...headers } });
}

function query(cookie: string, headers: Record<string, string>) {
  return server.post('/calls/query_stats', { project_id: 'ent/none' }, { key: null, headers: { cookie, ...headers } });
}

describe('signing in', () => {
  test('with a key sets a cookie that scripts and other sites cannot use, and that is not the key', async () => {
    const answer = await signIn({ api_key: server.key });
    expect(answer).toMatchObject({ status: 200, json: { username: 'ent', entity: 'ent', is_owner: true } });
    const cookie = answer.headers.get('set-cookie')!;
    expect(cookie).toMatch(/^heddle-session-\d+=[A-Za-z0-9]{48}; Expires=.+; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(cookie).not.toContain(server.key);
    expect(await read(cookieOf(answer.headers))).toMatchObject({ status: 200, json: { username: 'ent' } });
  });

  test.each([
    [{ api_key: 'wrong'.padEnd(48, '0') }, 401],
    [{ api_key: '' }, 401],
    [{ link_token: 'wrong'.padEnd(48, '0') }, 401],
    [{}, 422],
    [{ api_key: 'a', link_token: 'b' }, 422],
  ])('with %j is refused', async (body, status) => {
    const answer = await signIn(body);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('set-cookie')).toBeNull();
  });

  test('is refused from a page of another origin', async () => {
    const body = { api_key: server.key };
    expect(await signIn(body, { ...fromPage, 'sec-fetch-site': 'same-site' })).toMatchObject({ status: 403 });
    expect(await signIn(body, { 'x-heddle-page': '1', origin: 'http://evil.example' })).toMatchObject({ status: 403 });
    expect(await signIn(body, { 'content-type': 'text/plain' })).toMatchObject({ status: 422 });
  });
});

describe('a sign-in link', () => {
  test('signs in once', async () => {
    const { link } = await admin('signIn.link', {});
    const [address, token] = link!.split('#');
    expect(address).toBe(`${server.url}/sign-in`);
    const answer = await signIn({ link_token: token });
    expect(answer).toMatchObject({ status: 200, json: { username: 'ent' } });
    expect(await read(cookieOf(answer.headers))).toMatchObject({ status: 200 });
    expect(await signIn({ link_token: token })).toMatchObject({ status: 401 });
  });

  test('is for the user it was made for', async () => {
    await admin('users.create', { name: 'linked' });
    const { link } = await admin('signIn.link', { user: 'linked' });
    const answer = await signIn({ link_token: link!.split('#')[1] });
    expect(answer.json).toMatchObject({ username: 'linked', is_owner: false });
    await expect(admin('signIn.link', { user: 'nobody' })).rejects.toThrow('There is no user nobody');
  });
});

describe('the session cookie', () => {
  test('is accepted in place of a key from the page of this server', async () => {
    const cookie = await cookieFor();
    expect(await query(cookie, fromPage)).toMatchObject({ status: 404 }); // authenticated: the project does not exist
    const { host } = new URL(server.url);
    const plainHttp = { 'x-heddle-page': '1', origin: `http://${host}` }; // without Sec-Fetch-Site
    expect(await query(cookie, plainHttp)).toMatchObject({ status: 404 });
  });

  test.each([
    ['another site', { ...fromPage, 'sec-fetch-site': 'cross-site' }],
    ['another port of the same host', { ...fromPage, 'sec-fetch-site': 'same-site' }],
    ['a form, which has no header of its own', { 'sec-fetch-site': 'same-origin' }],
    ['another origin, told by Origin alone', { 'x-heddle-page': '1', origin: 'http://127.0.0.1:1' }],
    ['a sandboxed frame', { 'x-heddle-page': '1', origin: 'null' }],
  ])('is refused from %s', async (_, headers) => {
    expect(await query(await cookieFor(), headers)).toMatchObject({ status: 403 });
  });

  test('is not accepted as an API key', async () => {
    const token = (await cookieFor()).split('=')[1]!;
    expect(await server.get('/session', { key: token })).toMatchObject({ status: 401 });
  });

  test('does not replace a key that is wrong', async () => {
    const headers = { cookie: await cookieFor(), ...fromPage };
    expect(await server.get('/session', { key: 'wrong'.padEnd(48, '0'), headers })).toMatchObject({ status: 401 });
  });

  test('is asked for without the dialog of the browser for passwords', async () => {
    const answer = await server.get('/session', { key: null, headers: fromPage });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBeNull();
    expect((await server.get('/session', { key: null })).headers.get('www-authenticate')).toBe('Basic realm="heddle"');
  });

  test('ends with signing out', async () => {
    const [cookie, other] = [await cookieFor(), await cookieFor()];
    const options = { key: null, method: 'DELETE', headers: { cookie, ...fromPage } };
    const answer = await server.post('/session', '', options);
    expect(answer).toMatchObject({ status: 200, json: { success: true } });
    expect(answer.headers.get('set-cookie')).toMatch(/^heddle-session-\d+=; Max-Age=0/);
    expect(await read(cookie)).toMatchObject({ status: 401 });
    expect(await read(other)).toMatchObject({ status: 200 });
  });

  test("ends when its key is revoked, and so do sessions of the user's sign-in links", async () => {
    await admin('users.create', { name: 'revoked' });
    const { key, id } = await admin('keys.create', { user: 'revoked' });
    const other = await admin('keys.create', { user: 'revoked' });
    const { link } = await admin('signIn.link', { user: 'revoked' });
    const byKey = await cookieFor(key);
    const byOtherKey = await cookieFor(other.key);
    const byLink = cookieOf((await signIn({ link_token: link!.split('#')[1] })).headers);
    for (const cookie of [byKey, byOtherKey, byLink]) expect(await read(cookie)).toMatchObject({ status: 200 });
    await admin('keys.revoke', { which: id });
    expect(await read(byKey)).toMatchObject({ status: 401 });
    expect(await read(byLink)).toMatchObject({ status: 401 });
    expect(await read(byOtherKey)).toMatchObject({ status: 200 });
  });
});
