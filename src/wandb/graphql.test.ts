import { rmSync } from 'node:fs';
import { join } from 'node:path';
import fastify, { type FastifyInstance } from 'fastify';
import { getIntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { copyStoreTemplate } from '../api/testing/store-template.ts';
import { authenticate } from '../http/authenticate.ts';
import { openAdmission } from '../http/bodies/admission.ts';
import { openPace } from '../http/bodies/body-pace.ts';
import { openBodyParser } from '../http/bodies/body-parser.ts';
import { wandbReaders } from '../http/bodies/wandb-readers.ts';
import { answerErrors } from '../http/error-response.ts';
import { sendDownload } from '../http/send-download.ts';
import { type Identity, openIdentity } from '../identity/identity.ts';
import { openArtifacts } from '../services/artifacts/artifacts.ts';
import { openRuns } from '../services/runs/runs.ts';
import { openSignedBlobs } from '../services/signed-blobs.ts';
import { openSweeps } from '../services/sweeps.ts';
import { filesOfDirectory, openBlobDirectory } from '../store/blobs/directory/blob-directory.ts';
import { openAlone } from '../store/peers/alone.ts';
import { openEmbeddedPostgres } from '../store/postgres/embedded/embedded-postgres.ts';
import type { Postgres } from '../store/postgres/postgres.ts';
import { openSecretKey } from '../store/secret-key.ts';
import { Failure } from '../util/failures.ts';
import { graphqlPlugin } from './graphql.ts';

const root = copyStoreTemplate(inject('storeTemplate'), 'postgres');
let postgres: Postgres;
let identity: Identity;
let failing: Failure | null = null;
const pace = openPace({ bytesPerSecondMin: 1, secondsMax: 600 });
const bodies = openBodyParser();
let app: FastifyInstance;
let key: string;

beforeAll(async () => {
  postgres = await openEmbeddedPostgres(join(root, 'postgres'));
  identity = openIdentity(postgres, openAlone());
  key = (await identity.ensureOwner({ name: 'ada', apiKey: '' }))!;
  app = fastify();
  answerErrors(app);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _body, done) => done(null)); // as `http/server.ts` leaves bodies
  const deps = {
    postgres,
    peers: openAlone(),
    blobs: openBlobDirectory(join(root, 'blobs')),
    directBlobs: null,
    localFiles: filesOfDirectory(join(root, 'blobs')),
    secretKey: openSecretKey('', root),
  };
  const projectForWrite: Identity['projectForWrite'] = (...given) => {
    if (failing !== null) throw failing;
    return identity.projectForWrite(...given);
  };
  await app.register(graphqlPlugin, {
    identity: { ...identity, projectForWrite },
    authenticate: (request) => authenticate(request, identity),
    services: {
      artifacts: openArtifacts(deps, { fileBytesMax: 1000 }),
      runs: openRuns(deps),
      signedBlobs: openSignedBlobs(deps, { validSeconds: 60 }),
      sweeps: openSweeps(deps),
    },
    fileLimit: { bytesMax: 1000, setting: 'of a test' },
    ...wandbReaders({ pace, admit: openAdmission(100_000_000, 'of a test'), bodies }),
    sendDownload,
  });
});

afterAll(async () => {
  await app.close();
  pace.close();
  await bodies.close();
  await postgres.close();
  rmSync(root, { recursive: true });
});

const project =
  'query Project($name: String!, $entityName: String!) {\n project(name: $name, entityName: $entityName) {\n name\n }\n}';
const upsert = `mutation UpsertModel($name: String!, $id: String, $entity: String!, $description: String, $repo: String) {
  upsertModel(input: { id: $id, name: $name, entityName: $entity, description: $description, repo: $repo }) {
    model { name description }
  }
}`;
const viewer = 'query DefaultEntity { viewer { username defaultEntity { name } } }';

async function ask(query: string, variables?: Record<string, unknown>, as = key, operationName?: string) {
  const headers = { authorization: `Basic ${btoa(`api:${as}`)}`, 'content-type': 'application/json' };
  const payload = JSON.stringify({ query, variables, operationName });
  const answer = await app.inject({ method: 'POST', url: '/graphql', headers, payload });
  return { status: answer.statusCode, body: answer.json() };
}

test('an invalid key is answered 401 in JSON', async () => {
  expect(await ask(viewer, {}, 'A'.repeat(40))).toMatchObject({ status: 401, body: { reason: expect.any(String) } });
});

test('the viewer is answered with and without variables', async () => {
  const expected = { status: 200, body: { data: { viewer: { username: 'ada', defaultEntity: { name: 'ada' } } } } };
  expect(await ask(viewer)).toEqual(expected);
  expect(await ask(viewer, {})).toEqual(expected);
});

test('the viewer of the wandb package is answered, with the empty operation name it sends', async () => {
  const query = `query GetViewer { viewer { ...U } }
    fragment U on User { id name username email admin flags entity deletedAt
      apiKeys { edges { node { id name description } } } teams { edges { node { name } } } }`;
  const { body } = await ask(query, {}, key, '');
  expect(body.errors).toBeUndefined();
  expect(body.data.viewer).toMatchObject({
    username: 'ada',
    entity: 'ada',
    teams: { edges: [{ node: { name: 'ada' } }] },
  });
});

test.each([
  ['unavailable', 503],
  ['noSpace', 507],
] as const)('a store that is %s is answered with %i, which clients retry', async (kind, status) => {
  failing = new Failure(kind, 'PostgreSQL says no.');
  try {
    const answer = await ask(upsert, { name: kind, entity: 'ada' });
    expect(answer).toMatchObject({ status, body: { errors: [{ message: 'PostgreSQL says no.' }] } });
  } finally {
    failing = null;
  }
  expect(await ask(upsert, { name: kind, entity: 'ada' })).toMatchObject({ status: 200 });
});

test('a missing project is null, and upserting it twice makes one', async () => {
  expect(await ask(project, { name: 'p', entityName: 'ada' })).toEqual({
    status: 200,
    body: { data: { project: null } },
  });
  const made = { status: 200, body: { data: { upsertModel: { model: { name: 'p', description: null } } } } };
  expect(await ask(upsert, { name: 'p', entity: 'ada', description: null })).toEqual(made);
  expect(await ask(upsert, { name: 'p', entity: 'ada', description: null })).toEqual(made);
  expect(await ask(project, { name: 'p', entityName: 'ada' })).toMatchObject({
    body: { data: { project: { name: 'p' } } },
  });
});

test('an entity of others is refused with PERMISSION_ERROR', async () => {
  await identity.createUser('ben');
  const { key: bens } = await identity.createKey({ user: 'ben' });
  for (const [query, variables] of [
    [upsert, { name: 'p', entity: 'ada' }],
    [project, { name: 'p', entityName: 'ada' }],
    [upsert, { name: 'p', entity: 'nowhere' }],
  ] as const) {
    const { status, body } = await ask(query, variables, bens);
    expect(status).toBe(200);
    expect(body.errors[0].extensions.code).toBe('PERMISSION_ERROR');
  }
  const entity = 'query Entity($entityName: String!) { viewer { username } entity(name: $entityName) { readOnly } }';
  expect(await ask(entity, { entityName: 'ada' }, bens)).toMatchObject({ body: { data: { entity: null } } });
  expect(await ask(entity, { entityName: 'ben' }, bens)).toMatchObject({
    body: { data: { entity: { readOnly: false } } },
  });
});

test('the server tells its own address', async () => {
  const { body } = await ask('query ServerInfo { serverInfo { frontendHost features { name isEnabled } } }');
  expect(body.data.serverInfo).toEqual({ frontendHost: 'http://localhost:80', features: [] });
});

test('an unknown field, a malformed query and a body that is not JSON are reported without a 500', async () => {
  expect(await ask('{ viewer { favouriteColour } }')).toMatchObject({ status: 200, body: { errors: [{}] } });
  expect(await ask('{ viewer')).toMatchObject({ status: 200, body: { errors: [{}] } });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const answer = await app.inject({ method: 'POST', url: '/graphql', headers, payload: '{' });
  expect(answer.statusCode).toBe(400);
});

test('a malformed project name is refused in words', async () => {
  const { body } = await ask(upsert, { name: 'a/b', entity: 'ada' });
  expect(body.errors[0].message).toContain('entity/project');
});

const many = (count: number, make: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => make(i)).join(' ');

test.each([
  ['characters', `{ viewer { username } } #${' '.repeat(100_000)}`, '100000 characters'],
  ['aliases', `{ viewer { ${many(900, (i) => `a${i}: username`)} } }`, '2000 tokens'],
  ['fields', `{ viewer { ${many(600, () => 'username')} } }`, '500 fields'],
  ['tokens', `{ viewer { ${many(3000, () => 'username')} } }`, '2000 tokens'],
  ['root fields', `{ ${many(31, (i) => `a${i}: viewer { name }`)} }`, '30 fields at its root'],
  ['levels', `{ viewer ${'{ defaultEntity '.repeat(25)} { id } ${'}'.repeat(25)} }`, '20 levels'],
  ['nesting that no stack holds', `{ ${'a{'.repeat(30_000)}`, '2000 tokens'],
  ['directives', `{ viewer { username ${'@include(if: true) '.repeat(60)} } }`, '50 directives'],
  [
    'fragments that double',
    `{ viewer { ...f0 } } ${many(30, (i) => `fragment f${i} on User { ...f${i + 1} ...f${i + 1} }`)} fragment f30 on User { id }`,
    '500 fields',
  ],
  ['a fragment that spreads itself', '{ viewer { ...f } } fragment f on User { id ...f }', '500 fields'],
  [
    'introspection that multiplies',
    '{ __schema { types { fields { args { type { fields { args { type { name kind } } } } } } } } }',
    '100000 values',
  ],
])('an operation of too many %s is a 400 that names the limit', async (_name, query, limit) => {
  const answer = await ask(query);
  expect(answer.status).toBe(400);
  expect(answer.body.reason).toContain(limit);
  expect(answer.body.errors[0].message).toContain(limit);
});

test('rejects nested lists that request too many rows', async () => {
  await ask(upsert, { name: 'lists', entity: 'ada' });
  const create = `mutation Create($input: CreateArtifactInput!) { createArtifact(input: $input) { artifact { id } } }`;
  const input = { entityName: 'ada', projectName: 'lists', artifactTypeName: 'data', digest: 'd' };
  await ask(create, { input: { ...input, artifactCollectionName: 'a' } });
  const pages = many(60, (i) => `p${i}: artifactCollections(first: 1000) { totalCount }`);
  const { status, body } = await ask(`{ project(name: "lists") { artifactType(name: "data") { ${pages} } } }`);
  expect(status).toBe(200);
  expect(body.errors[0].message).toContain('more than 50000 rows');
});

test('reports a variable of the wrong shape to the client without logging an error', async () => {
  const { status, body } = await ask(upsert, { name: { first: 'p' }, entity: 'ada' });
  expect(status).toBe(400);
  expect(body.errors[0].message).toContain('$name');
});

test('the introspection of common tools is answered', async () => {
  const answer = await ask(getIntrospectionQuery());
  expect(answer.status).toBe(200);
  expect(answer.body.errors).toBeUndefined();
});
