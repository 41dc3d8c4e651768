import { hash, randomUUID } from 'node:crypto';
import { artifactOperations } from '../harness/artifact-operations.ts';
import type { Client } from './client.ts';
import { askGraphql } from './graphql.ts';
import { type Check, expectEqual } from './ledger.ts';
import type { Writer } from './writers.ts';

const { create, place, manifest, commit } = artifactOperations;
const remove = `mutation Remove($id: ID!) {
  deleteArtifact(input: { artifactID: $id, deleteAliases: true }) { artifact { id } } }`;
const read = `query Read($entity: String, $project: String, $name: String!) {
  project(name: $project, entityName: $entity) { artifact(name: $name) {
    id state files(first: 10) { edges { node { name directUrl } } } } } }`;

/** Logs two versions of an artifact that share a file, and deletes the first of every other one. */
export const logArtifacts: Writer = async (client, project, ledger) => {
  const [entityName, projectName] = project.split('/');
  const name = `artifact-${randomUUID()}`;
  const [own, shared, more] = [randomUUID(), randomUUID(), randomUUID()];
  const versions: Record<string, string>[] = [
    { 'own.txt': own, 'shared.txt': shared },
    { 'more.txt': more, 'shared.txt': shared },
  ];
  const found = async (reader: Client, version: string) => {
    const variables = { entity: entityName, project: projectName, name: `${name}:${version}` };
    return (await askGraphql(reader, read, variables)).project.artifact;
  };
  const ids: string[] = [];
  for (const [index, files] of versions.entries()) {
    const input = { entityName, projectName, artifactTypeName: 'dataset', artifactCollectionName: name, digest: name };
    const holds: Check = async (reader) => {
      const artifact = await found(reader, `v${index}`);
      if (artifact === null) return 'it is missing';
      return expectEqual([artifact.state, await contentsOf(artifact)], ['COMMITTED', files]);
    };
    const log = async () => {
      const { id } = (await askGraphql(client, create, { input })).createArtifact.artifact;
      await upload(client, id, files);
      await askGraphql(client, commit, { id });
      ids.push(id);
    };
    await ledger.change([`${name}:v${index}`], log, [holds]);
  }

  if (Math.random() < 0.5) return;
  const isGone: Check = async (reader) => expectEqual(await found(reader, 'v0'), null);
  await ledger.change([`${name}:v0`], () => askGraphql(client, remove, { id: ids[0] }), [isGone]);
};

async function upload(client: Client, id: string, files: Record<string, string>): Promise<void> {
  const specs = Object.entries(files).map(([name, content]) => ({ artifactID: id, name, md5: md5(content) }));
  const { edges } = (await askGraphql(client, place, { files: specs })).createArtifactFiles.files;
  const puts = Object.values(files).map((content, index) => {
    const { uploadUrl } = edges[index].node;
    return uploadUrl === null ? null : put(uploadUrl, content); // null: it is stored already
  });
  await Promise.all(puts);
  const contents = Object.fromEntries(
    Object.entries(files).map(([name, content]) => [name, { digest: md5(content), size: content.length }]),
  );
  const text = JSON.stringify({ version: 1, contents });
  const made = await askGraphql(client, manifest, { id, digest: md5(text) });
  await put(made.createArtifactManifest.artifactManifest.file.uploadUrl, text);
}

async function put(url: string, content: string): Promise<void> {
  const { status } = await fetch(url, { method: 'PUT', body: content });
  if (status !== 200) throw new Error(`PUT of a file: ${status} `);
}

type Artifact = { files: { edges: { node: { name: string; directUrl: string } }[] } };

async function contentsOf({ files }: Artifact): Promise<Record<string, string>> {
  const contents: Record<string, string> = {};
  for (const { node } of files.edges) contents[node.name] = await (await fetch(node.directUrl)).text();
  return contents;
}

function md5(content: string): string {
  return Buffer.from(hash('md5', content, 'hex'), 'hex').toString('base64');
}
