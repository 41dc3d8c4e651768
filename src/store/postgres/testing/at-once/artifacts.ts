import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { ProjectId } from '../../../../contract/ids.ts';
import { writeManifest } from '../../../../domain/artifacts/manifest.ts';
import { type Artifact, openArtifacts } from '../../../../services/artifacts/artifacts.ts';
import { filesOfDirectory, openBlobDirectory } from '../../../blobs/directory/blob-directory.ts';
import { addArtifact, changeArtifact } from '../../artifacts/change-artifact.ts';
import { type Cases, each, type Start, writers } from './case.ts';
import { temporaryFolder } from './temporary-folder.ts';

export const artifactCases: Cases = {
  /** A version gets one number; a file that another version deletes meanwhile is refused or kept. */
  async 'services/artifacts/artifacts.ts commit'(start) {
    const { artifacts, blobs, upload } = open(start);
    const one = await upload('one', 'content');
    const committed = await each(() => artifacts.commit(one));
    expect(committed.map(({ versionIndex }) => versionIndex)).toEqual(writers.map(() => 0));

    for (const round of writers) {
      const content = `round ${round}`;
      const last = await artifacts.commit(await upload('last', content));
      const next = await upload('next', content);
      const [, outcome] = await Promise.all([
        artifacts.delete(last, { deletesAliases: true }),
        artifacts.commit(next).catch((error) => error),
      ]);
      if (outcome instanceof Error) expect(outcome).toMatchObject({ kind: 'unacceptable' });
      else {
        const [file] = await artifacts.files(next);
        expect(await blobs.size(file!.blobKey!)).toBe(content.length);
      }
    }
  },

  /** Versions that share a file are deleted with it, and `latest` is one that is left. */
  async 'services/artifacts/artifacts.ts delete'(start) {
    const { artifacts, blobs, upload } = open(start);
    const { projectId } = start;
    const kept = await artifacts.commit(await upload('shared', 'kept'));
    for (const round of writers) {
      const versions: Artifact[] = [];
      for (const content of ['kept', `${round}`, `${round}`])
        versions.push(await artifacts.commit(await upload('shared', content)));
      await Promise.all([...versions, ...versions].map((each) => artifacts.delete(each, { deletesAliases: true })));
    }
    const files: string[] = [];
    for await (const key of blobs.list(`projects/${projectId}/artifact-files/`)) files.push(key.split('/').at(-1)!);
    expect(files).toEqual([createHash('md5').update('kept').digest('hex')]);
    expect(await artifacts.find({ projectId, name: 'shared', version: 'latest' })).toMatchObject({ id: kept.id });
    await each(() => artifacts.delete(kept, { deletesAliases: true }));
    expect(await Array.fromAsync(blobs.list(`projects/${projectId}/`))).toEqual([]);
  },

  async 'store/postgres/artifacts/change-artifact.ts changeArtifact'({ postgres, projectId }) {
    await postgres.db
      .insertInto('artifact_collections')
      .values({ id: projectId, project_id: projectId, name: 'c', type: 't' })
      .execute();
    const version = {
      id: projectId,
      collectionId: projectId,
      digest: 'd',
      description: null,
      metadata: null,
      tags: [],
    };
    const rest = { wantedAliases: [], historyStep: null, runId: null, clientId: null, createdBy: 'u' };
    await addArtifact(postgres, { ...version, ...rest });
    await each((index) => changeArtifact(postgres, projectId, { addedTags: [`t${index}`], removedTags: [] }));
    const { tags } = await postgres.db
      .selectFrom('artifacts')
      .select('tags')
      .where('id', '=', projectId)
      .executeTakeFirstOrThrow();
    expect(tags).toHaveLength(writers.length);
  },
};

function open({ postgres, projectId }: Start) {
  const folder = temporaryFolder();
  const blobs = openBlobDirectory(folder);
  const artifacts = openArtifacts(
    { postgres, blobs, directBlobs: null, localFiles: filesOfDirectory(folder) },
    { fileBytesMax: 1024 },
  );

  /** A pending version with one file, as a client uploads it. */
  async function upload(name: string, content: string): Promise<Artifact> {
    const artifact = await artifacts.create(draftOf(projectId, name));
    const digest = createHash('md5').update(content).digest('base64');
    const { key, isStored } = await artifacts.placeFile(artifact, digest);
    if (!isStored) await blobs.put(key, Buffer.from(content));
    const manifest = writeManifest(artifact.id, [{ path: 'f', digest, sizeBytes: content.length }]);
    await blobs.put(artifacts.manifestKey(artifact), Buffer.from(manifest));
    return artifact;
  }
  return { artifacts, blobs, upload };
}

function draftOf(projectId: ProjectId, name: string) {
  return {
    ...{ projectId, name, type: 't', digest: 'd', description: null, metadata: null, tags: [], aliases: [] },
    ...{ historyStep: null, runId: null, clientId: null, reuses: false, createdBy: 'u' },
  };
}
