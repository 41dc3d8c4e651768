import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { ProjectId } from '../contract/ids.ts';
import { bytesDigest } from '../domain/digest/digest.ts';
import { digestRule } from '../store/blobs/digest-rule.ts';
import { fileKey } from '../store/blobs/file-key.ts';
import { artifactKeys } from './artifacts/artifact-keys.ts';
import { runKeys } from './runs/run-keys.ts';
import { trainingKeys } from './training/training-keys.ts';
import { uploadKey } from './uploaded-files.ts';

const project = 'p' as ProjectId;
const bytes = Buffer.from('x');

test('keys that have the digest of their bytes are known', () => {
  const sha256 = bytesDigest(bytes);
  expect(digestRule(fileKey(project, sha256))).toEqual({ kind: 'inKey', algorithm: 'sha256', digest: sha256 });
  const md5 = hash('md5', bytes);
  const rule = { kind: 'inKey', algorithm: 'md5', digest: md5 };
  expect(digestRule(artifactKeys.file(project, md5))).toEqual(rule);
  expect(digestRule(`${artifactKeys.file(project, md5)}-2`)).toEqual(rule); // as for content whose first key was deleted
});

test('what clients write at any time has no digest', () => {
  expect(digestRule(runKeys.file({ id: 'r', projectId: project }, 'f'))).toEqual({ kind: 'none' });
  expect(digestRule(artifactKeys.uploaded(project, 'a', hash('md5', bytes)))).toEqual({ kind: 'none' });
});

test('everything else that heddle writes for a project has its digest beside it', () => {
  const keys = [
    artifactKeys.manifest(project, 'a'),
    uploadKey(project, 'u'),
    trainingKeys.jobData(project, 'j'),
    trainingKeys.rollouts(project, 'm', 'j'),
    `${trainingKeys.checkpoint(project, 'c')}/adapter_model.safetensors`,
  ];
  for (const key of keys) expect(digestRule(key)).toEqual({ kind: 'beside' });
});
