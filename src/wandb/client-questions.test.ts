import { readFileSync } from 'node:fs';
import { isInputObjectType, isObjectType, parse, validate } from 'graphql';
import { expect, test } from 'vitest';
import { wandbSchema } from './answer-graphql.ts';
import { clearErrors } from './unsupported-fields.ts';

type Asked = { types: { releases: string; type: string }[]; operations: { releases: string; operation: string }[] };

const schema = wandbSchema();

/** What every release of the wandb package from 0.25.0 to 0.31.0 asks (scripts/reference/wandb_operations.py). */
const asked: Asked = JSON.parse(readFileSync(new URL('../../testing/wandb/operations.json', import.meta.url), 'utf8'));

/** Operations that fail without naming a feature, with the reason why that is right. */
const neverSent: Record<string, string> = {
  'mutation CreateArtifactType(': 'No release calls the function that has it.',
  'query GetSweeps($project: String! $entity: String! $filters:':
    'The client removes the argument for servers that do not report a release of W&B Server.',
};

test.each(asked.operations.map(({ releases, operation }) => [operation.slice(0, 60), releases, operation] as const))(
  '%s of %s is answered, or refused by the name of a feature',
  (_start, _releases, operation) => {
    const document = parse(operation);
    const errors = clearErrors(document, validate(schema, document));
    if (Object.keys(neverSent).some((start) => operation.startsWith(start))) return expect(errors).not.toEqual([]);
    expect(errors.filter(({ extensions }) => extensions.code !== 'NOT_SUPPORTED')).toEqual([]);
  },
);

/** Clients of release 0.25 that find the type use launch agents, which heddle does not have. */
const answeredNull = ['LaunchAgent'];

/** Fields that clients use if the type has them. Those of release 0.25 cannot read null for a type. */
const fieldsUsed: Record<string, string[]> = {
  Query: ['serverInfo', 'models'],
  Mutation: ['upsertBucket', 'createRunFiles', 'createArtifact'],
  ServerInfo: ['cliVersionInfo', 'latestLocalVersionInfo'],
  ServerSettings: ['serverMessages'],
  Organization: ['name'],
  Project: ['artifact', 'internalId'],
  Run: ['projectId'],
  Artifact: ['historyStep', 'ttlDurationSeconds'],
  UseArtifactInput: ['usedAs'],
  CreateArtifactInput: ['clientID', 'enableDigestDeduplication'],
  CreateArtifactFileSpecInput: ['uploadPartsInput'],
  DeleteFilesInput: ['projectId'],
};

test.each(asked.types.map(({ type, releases }) => [type, releases] as const))(
  'the type %s, which releases %s look up, has the fields that they use',
  (name) => {
    const type = schema.getType(name);
    if (answeredNull.includes(name)) return expect(type).toBeUndefined();
    const found = isObjectType(type) || isInputObjectType(type) ? Object.keys(type.getFields()) : [];
    expect(found).toEqual(expect.arrayContaining(fieldsUsed[name] ?? []));
    expect(found).not.toEqual([]);
  },
);
