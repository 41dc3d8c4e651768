import { hash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { ListObjectsV2Command, type S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { artifactOperations } from '../harness/artifact-operations.ts';
import { runWandb } from '../harness/clients.ts';
import { type Heddle, newDataDirectory, startHeddle } from '../harness/heddle.ts';
import { artEnvironment } from '../training/environment.ts';
import { wandbEnvironment } from '../wandb/environment.ts';
import { swiftEnvironment } from './environment.ts';
import { type Relay, startRelay } from './relay.ts';
import { type S3Server, s3ClientOf, startSwift } from './swift-server.ts';

const releases = [
  ['0.25.0', artEnvironment],
  ['0.31.0', wandbEnvironment],
] as const;

describe.skipIf(!swiftEnvironment.isReady())('wandb clients that reach the bucket', () => {
  let swift: S3Server;
  let relay: Relay;
  let server: Heddle;
  let client: S3Client;
  const data = newDataDirectory();

  beforeAll(async () => {
    swift = await startSwift('heddle');
    relay = await startRelay(swift);
    client = s3ClientOf(swift);
    server = await startHeddle(data, {
      HEDDLE_BLOBS_URL: `s3://heddle/team?endpoint=${swift.endpoint}`,
      HEDDLE_BLOBS_PUBLIC_URL: relay.endpoint,
      HEDDLE_ARTIFACT_FILE_MAX_BYTES: '1000000',
      ...swift.credentials,
    });
  });
  afterAll(async () => {
    client?.destroy();
    await server?.close();
    rmSync(data, { recursive: true, force: true });
    await relay?.stop();
    await swift?.stop();
  });

  async function keys(prefix: string): Promise<string[]> {
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: 'heddle', Prefix: prefix }));
    return Contents.map(({ Key }) => Key!);
  }

  describe.each(releases)('%s', (_release, environment) => {
    test.skipIf(!environment.isReady())('upload and download files there, in parts too', async () => {
      relay.takeRequests();
      const report = await runWandb(
        server,
        'downloads.py',
        { args: [server.newProject()], expected: /Symlinked/ },
        environment,
      );
      const all = { 'large.bin': true, 'sub/small.txt': true, 'same.txt': true };
      expect(report).toEqual({
        ...{ version: 'v0', size: 1_000_010, whole: all, in_parts: all, notes: 'first', next: 'v1' },
      });
      const requests = relay.takeRequests();
      const to = (method: string, folder: string) =>
        requests.filter((each) => each.startsWith(`${method} /heddle/team/${folder}/`));
      // Two of the three files are the same, and the second version has a file that is stored already.
      expect(new Set(to('PUT', 'unverified')).size).toBe(2);
      expect(to('PUT', 'projects').every((each) => each.includes('/run-files/'))).toBe(true);
      expect(to('PUT', 'projects').length).toBeGreaterThan(0);
      const parts = requests.flatMap((each) => / bytes=(.*)$/.exec(each)?.[1] ?? []);
      expect(parts).toEqual(expect.arrayContaining(['0-299999', '300000-599999', '600000-899999', '900000-']));
      expect(await keys('team/unverified/')).toEqual([]);
    });
  });

  const { create, place, manifest, commit } = artifactOperations;
  const find = `query A($id: ID!) { artifact(id: $id) { files { edges { node { directUrl servedUrl } } } } }`;
  const ask = async (query: string, variables: object) => (await server.post('/graphql', { query, variables })).json;
  const put = async (url: string, body: string) => (await fetch(url, { method: 'PUT', body })).status;
  const md5 = (text: string) => Buffer.from(hash('md5', text, 'hex'), 'hex').toString('base64');

  async function draft(files: Record<string, string>) {
    const [entityName, projectName] = server.newProject().split('/');
    const input = { entityName, projectName, artifactTypeName: 'dataset', artifactCollectionName: 'c', digest: 'd' };
    const { id } = (await ask(create, { input })).data.createArtifact.artifact;
    const specs = Object.entries(files).map(([name, text]) => ({ artifactID: id, name, md5: md5(text) }));
    const { edges } = (await ask(place, { files: specs })).data.createArtifactFiles.files;
    const contents = Object.fromEntries(
      Object.entries(files).map(([name, text]) => [name, { digest: md5(text), size: text.length }]),
    );
    const text = JSON.stringify({ version: 1, contents });
    const made = await ask(manifest, { id, digest: md5(text) });
    expect(await put(made.data.createArtifactManifest.artifactManifest.file.uploadUrl, text)).toBe(200);
    return { id: id as string, uploadUrls: edges.map(({ node }: any) => node.uploadUrl) as string[] };
  }

  test('an artifact whose uploaded bytes are others is not committed, until they are right', async () => {
    const { id, uploadUrls } = await draft({ a: 'hello' });
    const refusal = async () => (await ask(commit, { id })).errors[0].message;
    expect(await refusal()).toContain('is not uploaded yet');
    expect(await put(uploadUrls[0]!, 'jello')).toBe(200);
    expect(await refusal()).toContain(`do not have the MD5 ${hash('md5', 'hello')}`);
    expect(await put(uploadUrls[0]!, 'hello there')).toBe(200);
    expect(await refusal()).toContain('has 11 bytes, not 5');
    expect(await put(uploadUrls[0]!, 'hello')).toBe(200);
    expect((await ask(commit, { id })).data.commitArtifact.artifact.state).toBe('COMMITTED');

    expect(await put(uploadUrls[0]!, 'jello')).toBe(200); // the address is still valid, but no longer that of the file
    const { directUrl, servedUrl } = (await ask(find, { id })).data.artifact.files.edges[0].node;
    expect(new URL(directUrl).origin).toBe(relay.endpoint);
    expect(new URL(servedUrl).origin).toBe(server.url);
    for (const url of [directUrl, servedUrl]) expect(await (await fetch(url)).text()).toBe('hello');
  });

  test('a file above the limit is not committed', async () => {
    const text = 'x'.repeat(1_000_001);
    const { id, uploadUrls } = await draft({ a: text });
    expect(await put(uploadUrls[0]!, text)).toBe(200);
    expect((await ask(commit, { id })).errors[0].message).toContain('has 1000001 bytes; at most 1000000 are possible');
  });

  test('the address of an upload writes one file of one artifact of one project', async () => {
    const [one, two] = [await draft({ a: 'hello' }), await draft({ a: 'hello' })];
    const [mine, other] = [new URL(one.uploadUrls[0]!), new URL(two.uploadUrls[0]!)];
    expect(mine.pathname).not.toBe(other.pathname);
    expect(await put(`${mine.origin}${other.pathname}${mine.search}`, 'hello')).toBe(403);
    const stored = other.pathname.replace(/unverified\/([^/]+)\/[^/]+/, 'projects/$1/artifact-files');
    expect(await put(`${mine.origin}${stored}${mine.search}`, 'hello')).toBe(403);
    expect((await fetch(mine)).status).toBe(403);
    expect((await ask(commit, { id: two.id })).errors[0].message).toContain('is not uploaded yet');
  });

  test('what was uploaded for a version goes with it', async () => {
    const { id, uploadUrls } = await draft({ a: 'hello' });
    expect(await put(uploadUrls[0]!, 'hello')).toBe(200);
    const place = new URL(uploadUrls[0]!).pathname.slice('/heddle/'.length);
    expect(await keys(place)).toEqual([place]);
    const remove = 'mutation D($id: ID!) { deleteArtifact(input: { artifactID: $id }) { artifact { id } } }';
    expect((await ask(remove, { id })).errors).toBeUndefined();
    expect(await keys(place)).toEqual([]);
  });
});
