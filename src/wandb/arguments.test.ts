import { rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { copyStoreTemplate } from '../api/testing/store-template.ts';
import { openIdentity } from '../identity/identity.ts';
import { openArtifacts } from '../services/artifacts/artifacts.ts';
import { openRuns } from '../services/runs/runs.ts';
import { openSignedBlobs } from '../services/signed-blobs.ts';
import { openSweeps } from '../services/sweeps.ts';
import { filesOfDirectory, openBlobDirectory } from '../store/blobs/directory/blob-directory.ts';
import { openAlone } from '../store/peers/alone.ts';
import { openEmbeddedPostgres } from '../store/postgres/embedded/embedded-postgres.ts';
import type { Postgres } from '../store/postgres/postgres.ts';
import { openSecretKey } from '../store/secret-key.ts';
import { wandbSchema } from './answer-graphql.ts';
import { artifactNode, collectionNode, membershipNode, typeNode } from './resolvers/artifacts/nodes.ts';
import { type GraphqlContext, rowsMax, writeProject } from './resolvers/context.ts';
import { runNode } from './resolvers/runs/nodes.ts';

const schema = wandbSchema();
const root = copyStoreTemplate(inject('storeTemplate'), 'postgres');
let postgres: Postgres;
let context: GraphqlContext;
/** An object of each type whose fields have arguments. */
const sources: Record<string, object> = { Query: {}, Mutation: {}, Organization: {} };
/** Values for arguments that need one. */
const samples: Record<string, unknown> = {
  name: 'run',
  runName: 'run',
  projectName: 'p',
  modelName: 'p',
  entityName: 'ada',
  artifactTypeName: 'dataset',
  artifactCollectionName: 'corpus',
  digest: 'd',
  aliasName: 'latest',
  alias: 'best',
  tagName: 'good',
  files: ['a.txt'],
  liveKeys: ['_step'],
  specs: ['{}'],
  metricName: '_step',
  metricValue: 3,
  host: 'h',
  sweepName: 's',
  md5: 'XUFAKrxLKna5cZ2REBfFkg==',
};

beforeAll(async () => {
  postgres = await openEmbeddedPostgres(join(root, 'postgres'));
  const identity = openIdentity(postgres, openAlone());
  const key = (await identity.ensureOwner({ name: 'ada', apiKey: '' }))!;
  const caller = (await identity.authenticate({ authorization: `Bearer ${key}` }))!;
  const deps = {
    postgres,
    peers: openAlone(),
    blobs: openBlobDirectory(join(root, 'blobs')),
    directBlobs: null,
    localFiles: filesOfDirectory(join(root, 'blobs')),
    secretKey: openSecretKey('', root),
  };
  const [artifacts, runs] = [openArtifacts(deps, { fileBytesMax: 1000 }), openRuns(deps)];
  const signedBlobs = openSignedBlobs(deps, { validSeconds: 60 });
  const [address, budget] = ['http://localhost', { rows: rowsMax }];
  const sweeps = openSweeps(deps);
  context = { identity, caller, artifacts, runs, signedBlobs, sweeps, address, budget };

  const project = await writeProject(context, { name: 'p', entityName: 'ada' });
  const { run } = await runs.upsert({ projectId: project.id, name: 'run', createdBy: caller.userId }, {});
  const { files } = await mutate('createRunFiles', { runName: 'run', projectName: 'p', files: ['a.txt'] });
  const draft = { entityName: 'ada', projectName: 'p', artifactTypeName: 'dataset', digest: 'd' };
  const { artifact } = (await mutate('createArtifact', { ...draft, artifactCollectionName: 'corpus' })).artifact;
  const other = (await mutate('createArtifact', { ...draft, artifactCollectionName: 'other' })).artifact;
  const { run: otherRun } = await runs.upsert({ projectId: project.id, name: 'other', createdBy: caller.userId }, {});
  const config = 'method: random\nparameters: {x: {value: 1}}';
  const { sweep } = await mutate('upsertSweep', { projectName: 'p', entityName: 'ada', config });
  samples.artifactID = artifact.id;
  samples.artifactManifestID = artifact.id;
  samples.id = artifact.id;
  samples['upsertSweep.config'] = config;
  samples['createAgent.sweep'] = sweep.id;
  samples['agentHeartbeat.id'] = `${sweep.id}:1`;
  samples['deleteArtifact.artifactID'] = other.id;
  samples['deleteRun.id'] = otherRun.id;
  samples['deleteFiles.files'] = files.map(({ id }: { id: string }) => id);
  Object.assign(sources, {
    Project: project,
    Run: runNode(run),
    Sweep: sweep,
    Artifact: artifactNode(artifact),
    ArtifactCollectionMembership: membershipNode(artifact),
    ArtifactSequence: collectionNode((await artifacts.collection(project.id, 'corpus'))!),
    ArtifactType: typeNode(project.id, { name: 'dataset', createdAt: new Date() }),
    File: { url: ({ upload }: { upload?: boolean }) => upload },
  });
});

afterAll(async () => {
  await postgres.close();
  rmSync(root, { recursive: true });
});

const fields = Object.values(schema.getTypeMap())
  .filter(isObjectType)
  .filter(({ name }) => !name.startsWith('__'))
  .flatMap((type) => Object.values(type.getFields()).map((field) => ({ type: type.name, field })))
  .filter(({ field }) => field.args.length > 0);

test.each(fields.map(({ type, field }) => [`${type}.${field.name}`, type, field] as const))(
  '%s reads every argument that the schema has',
  async (_path, type, field) => {
    const read = new Set<string>();
    const args = recorded(
      Object.fromEntries(field.args.map((each) => [each.name, sampleOf(each, field.name)])),
      '',
      read,
    );
    const source = sources[type]! as Record<string, unknown>;
    const resolve =
      field.resolve ?? ((object: typeof source) => (object[field.name] as (args: unknown) => unknown)(args));
    context.budget.rows = rowsMax;
    await Promise.resolve(resolve(source, args, context, {} as never)).catch(() => undefined); // what is not there
    const all = field.args.flatMap((each) => pathsOf(each, ''));
    expect(all.filter((path) => !read.has(path) && !path.startsWith(partsOfUpload))).toEqual([]);
  },
);

/** A file is uploaded whole, whatever its parts. */
const partsOfUpload = 'input.artifactFiles.uploadPartsInput.';

async function mutate(name: string, input: object) {
  const { resolve } = schema.getMutationType()!.getFields()[name]!;
  return (await resolve!({}, { input }, context, {} as never)) as any;
}

/** The values, which record what is read of them. */
function recorded(value: unknown, path: string, read: Set<string>): unknown {
  if (Array.isArray(value)) return value.map((each) => recorded(each, path, read));
  if (typeof value !== 'object' || value === null) return value;
  return new Proxy(value, {
    get(target, key) {
      const below = path === '' ? String(key) : `${path}.${String(key)}`;
      read.add(below);
      return recorded(Reflect.get(target, key), below, read);
    },
  });
}

function pathsOf({ name, type }: GraphQLArgument | GraphQLInputField, path: string): string[] {
  const own = path === '' ? name : `${path}.${name}`;
  const named = getNamedType(type);
  return isInputObjectType(named) ? Object.values(named.getFields()).flatMap((field) => pathsOf(field, own)) : [own];
}

/** A value of required arguments and of objects; null for the others, which clients may leave out. */
function sampleOf({ name, type }: GraphQLArgument | GraphQLInputField, fieldName: string): unknown {
  const own: GraphQLInputType = getNullableType(type);
  const named = getNamedType(type);
  if (isInputObjectType(named)) {
    const object = Object.fromEntries(
      Object.values(named.getFields()).map((each) => [each.name, sampleOf(each, fieldName)]),
    );
    return isListType(own) ? [object] : object;
  }
  if (`${fieldName}.${name}` in samples) return samples[`${fieldName}.${name}`];
  if (name in samples && (isNonNullType(type) || /Name$|^name$/.test(name))) return samples[name];
  return null;
}
