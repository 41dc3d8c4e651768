import { isInputObjectType, isObjectType } from 'graphql';
import { expect, test } from 'vitest';
import { wandbSchema } from './answer-graphql.ts';

const schema = wandbSchema();

/**
 * The types that the wandb package 0.25.0 looks up with `__type`, with fields that it then uses; from its own source. It
 * cannot read null. Release 0.31.0 looks up none.
 */
test.each([
  ['Query', ['serverInfo', 'models']],
  ['Mutation', ['upsertBucket', 'createRunFiles', 'createArtifact']],
  ['ServerInfo', ['cliVersionInfo', 'latestLocalVersionInfo']],
  ['ServerSettings', ['serverMessages']],
  ['Organization', ['name']],
  ['Project', ['artifact', 'internalId']],
  ['Run', ['projectId']],
  ['Artifact', ['historyStep', 'ttlDurationSeconds']],
  ['UseArtifactInput', ['usedAs']],
  ['CreateArtifactInput', ['clientID', 'enableDigestDeduplication']],
  ['CreateArtifactFileSpecInput', ['uploadPartsInput']],
  ['DeleteFilesInput', ['projectId']],
  ['CreateRunQueueInput', []],
  ['PushToRunQueueInput', []],
  ['FailRunQueueItemInput', []],
  ['CreateLaunchAgentInput', []],
])('the schema has the type %s, which clients look up, with the fields %j', (name, fields) => {
  const type = schema.getType(name);
  const found = isObjectType(type) || isInputObjectType(type) ? Object.keys(type.getFields()) : [];
  expect(found).toEqual(expect.arrayContaining(fields));
  expect(found).not.toEqual([]);
});
