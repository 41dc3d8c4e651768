import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { copyStoreTemplate } from '../api/testing/store-template.ts';
import { readConfig } from '../config.ts';
import { tableUpdate } from '../contract/tables/update.ts';
import { openIdentity } from '../identity/identity.ts';
import { openAlone } from '../store/peers/alone.ts';
import { openEmbeddedPostgres } from '../store/postgres/embedded/embedded-postgres.ts';
import type { Postgres } from '../store/postgres/postgres.ts';
import { bind, type Door, type Handler, routesOf } from './bind.ts';
import { openAdmission } from './bodies/admission.ts';
import { openPace } from './bodies/body-pace.ts';
import { openBodyParser } from './bodies/body-parser.ts';
import { answerErrors } from './error-response.ts';

const root = copyStoreTemplate(inject('storeTemplate'), 'postgres');
let postgres: Postgres;
let door: Door;
let headers: Record<string, string>;
let parsed = 0;

beforeAll(async () => {
  postgres = await openEmbeddedPostgres(join(root, 'postgres'));
  const identity = openIdentity(postgres, openAlone());
  headers = { authorization: `Bearer ${await identity.ensureOwner({ name: 'ada', apiKey: '' })}` };
  const bodies = openBodyParser();
  door = {
    config: readConfig({ data: root }, {}),
    identity,
    bodies: {
      ...bodies,
      parse(shape, blocks) {
        parsed++;
        return bodies.parse(shape, blocks);
      },
    },
    pace: openPace({ bytesPerSecondMin: 1, secondsMax: 600 }),
    admitData: openAdmission(100_000_000, 'of a test'),
    admitQuery: openAdmission(100_000_000, 'of a test'),
  };
});

afterAll(async () => {
  door.pace.close();
  await door.bodies.close();
  await postgres.close();
  rmSync(root, { recursive: true });
});

async function serve(handler: Handler<typeof tableUpdate>): Promise<{ app: FastifyInstance; url: string }> {
  const app = fastify();
  answerErrors(app);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _body, done) => done(null)); // as `http/server.ts` leaves bodies
  for (const route of routesOf({ tableUpdate }, { tableUpdate: handler })) bind(app, route, door);
  return { app, url: `${await app.listen({ port: 0 })}${tableUpdate.path}` };
}

const small = JSON.stringify({ project_id: 'ent/p', base_digest: 'small', updates: [] });
const large = JSON.stringify({ project_id: 'ent/p', base_digest: 'x'.repeat(600_000), updates: [] });
const answer = { digest: '', updated_row_digests: [] };

async function statusOf(url: string, body: string): Promise<number> {
  const response = await fetch(url, { method: 'POST', headers, body });
  await response.text();
  return response.status;
}

test('large bodies of changes to a table are parsed and worked on one at a time; small ones do not wait', async () => {
  const begun = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  let working = 0;
  const { app, url } = await serve(async ({ body }) => {
    if (body.base_digest === 'small') return answer;
    expect(++working).toBe(1);
    begun.resolve();
    await goOn.promise;
    working--;
    return answer;
  });
  parsed = 0;
  const statuses = Promise.all([large, large, large, large].map((body) => statusOf(url, body)));
  await begun.promise;
  await sleep(200); // the other bodies arrive
  expect(parsed).toBe(1);
  expect(await statusOf(url, small)).toBe(200);
  expect(parsed).toBe(2);
  goOn.resolve();
  expect(await statuses).toEqual([200, 200, 200, 200]);
  await app.close();
});

test('an invalid large body does not keep the next one waiting', async () => {
  const { app, url } = await serve(async () => answer);
  const bodies = [large.slice(0, -1), large.replace('"updates":[]', '"updates":[{}]'), large];
  expect(await Promise.all(bodies.map((body) => statusOf(url, body)))).toEqual([422, 422, 200]);
  await app.close();
});

test('a client that does not read its response does not keep the next large body waiting', async () => {
  let answered = 0;
  const { app, url } = await serve(async () => {
    const isFirst = answered++ === 0;
    return isFirst
      ? { digest: '', updated_row_digests: Array.from({ length: 400 }, () => 'x'.repeat(100_000)) }
      : answer;
  });
  const slow = request(url, { method: 'POST', headers, agent: false });
  slow.on('error', () => {}).end(large);
  await once(slow, 'response');
  expect(await statusOf(url, large)).toBe(200);
  slow.destroy();
  await app.close();
});
