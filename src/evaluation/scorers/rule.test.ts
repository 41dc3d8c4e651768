import { afterAll, beforeAll, expect, test } from 'vitest';
import { contextForFile } from '../../api/testing/context.ts';
import type { Caller } from '../../identity/identity.ts';
import { type StubProvider, startStubProvider } from '../../providers/testing/stub-provider.ts';
import { openTransport } from '../../providers/transport.ts';
import { openCompletions } from '../../services/completions/completions.ts';
import { JsonText } from '../../util/json/json-text.ts';
import { openRules } from '../rules/rules.ts';
import { readRule } from './rule.ts';

const context = contextForFile();
const caller: Caller = { userId: 'u' as never, username: 'ada', isOwner: true, defaultEntity: 'ada' };
const rules = openRules();
let stub: StubProvider;

beforeAll(async () => {
  stub = await startStubProvider();
});
afterAll(() => Promise.all([stub.close(), rules.close()]));

/** Scores `kitten` against the expected `cat`, with a provider whose embeddings enclose an angle of 45 degrees. */
async function score(fields: object) {
  const { identity, services, inference } = context.current;
  const project = { id: await identity.projectForWrite(caller, 'ada/p'), name: 'ada/p' };
  const publish = async (objectId: string, value: object) => {
    const of = { projectId: project.id, objectId, value: JSON.stringify(value), caller };
    return `weave:///ada/p/object/${objectId}:${(await services.objects.publish(of)).digest}`;
  };
  const ofClass = (name: string) => ({ _type: name, _class_name: name, _bases: ['BaseObject', 'BaseModel'] });
  const provider = await publish('stub', { ...ofClass('Provider'), base_url: stub.url, api_key_name: '' });
  await publish('stub-embed', { ...ofClass('ProviderModel'), name: 'embed', provider, max_tokens: 1 });
  const data = [
    { index: 0, embedding: [1, 1] },
    { index: 1, embedding: [2, 0] },
  ];
  stub.answers.push({ json: { data, usage: { prompt_tokens: 2, total_tokens: 2 } } });
  const backoff = { attemptsMax: 1, firstMs: 1, waitMsMax: 1 };
  const transport = openTransport({ privateHosts: stub.host, timeoutMsMax: 5_000, bytesMax: 100_000, backoff });
  const completions = openCompletions({ identity, inference, transport }, services);
  const apply = readRule({ rule: 'embedding_similarity', ...fields }, { rules, completions });
  const texts = { row: new JsonText('{"expected":"cat"}'), output: new JsonText('"kitten"') };
  const scored = { row: { expected: 'cat' }, output: 'kitten', texts };
  return apply(scored, { project, caller }, new AbortController().signal);
}

test('embedding_similarity is the cosine of both embeddings, and counts the tokens', async () => {
  const { score: similarity, usage } = await score({ model: 'custom::stub::embed' });
  expect(similarity).toBeCloseTo(Math.SQRT1_2);
  expect(usage).toEqual({ embed: { requests: 1, prompt_tokens: 2, total_tokens: 2 } });
  expect(stub.received.at(-1)).toMatchObject({ path: '/v1/embeddings', body: { input: ['kitten', 'cat'] } });
  const limited = await score({ model: 'custom::stub::embed', threshold: 0.8 });
  expect(limited.score).toEqual({ similarity: expect.closeTo(Math.SQRT1_2), passed: false });
});

test('embedding_similarity needs the embedding model of a provider', async () => {
  await expect(score({})).rejects.toThrow('needs the name of an embedding model');
  await expect(score({ model: 'heddle/tiny' })).rejects.toThrow('heddle does not compute embeddings yet');
});
