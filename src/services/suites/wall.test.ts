import { beforeAll, expect, test } from 'vitest';
import { contextForFile } from '../../api/testing/context.ts';
import type { ProjectId } from '../../contract/ids.ts';
import { openAiId } from '../../domain/openai-ids.ts';
import type { Caller } from '../../identity/identity.ts';
import type { Owner } from '../owner.ts';
import { openCompareData } from './compare-data.ts';

const file = contextForFile();
let caller: Caller;
let projects = 0;

beforeAll(async () => {
  const { identity, startJobs } = file.current;
  await identity.ensureOwner({ name: 'ent', apiKey: '' });
  caller = (await identity.findOwner())!;
  await startJobs();
});

async function newOwner(): Promise<Owner> {
  const name = `ent/wall${projects++}`;
  const id = await file.current.identity.projectForWrite(caller, name);
  return { project: { id, name }, caller };
}

const noun = (at: number) => ['lantern', 'river', 'boat', 'ferry', 'flood', 'island', 'tower'][at % 7]!;
const question = (at: number) =>
  `Which ${noun(at)} number ${at} did the traveller see first after leaving town ${at * 7} by road ${at * 13}?`;

async function freeze(owner: Owner, rows: object[]) {
  const { resources, suites } = file.current.services;
  const dataset = { name: 'exam', description: null, rows: rows.map((row) => JSON.stringify(row)) };
  await resources.createDataset(dataset, owner);
  return suites.freeze({ name: 'exam', dataset: 'exam', purpose: 'gate', threadColumn: null, alpha: 0.05 }, owner);
}

const line = (asked: string) =>
  `${JSON.stringify({
    messages: [
      { role: 'user', content: asked },
      { role: 'assistant', content: 'The first one.' },
    ],
  })}\n`;

async function train(owner: Owner, name: string, asked: string[]): Promise<void> {
  const { training } = file.current.services;
  const model = await training.models.create({
    ...{ projectId: owner.project.id, name, baseModel: 'heddle/tiny' },
    ...{ createdBy: caller.userId, returnExisting: true },
  });
  const url = `data:,${encodeURIComponent(asked.map(line).join(''))}`;
  const config = { training_data_url: url, config: null, experimental_config: null };
  const { id } = await training.jobs.createSft({ model, config, caller, allowsSuiteRows: true });
  await expect.poll(async () => (await training.jobs.find(id))?.status, { timeout: 60_000 }).toBe('ended');
}

async function fineTune(owner: Owner, model: string, asked: string[]): Promise<string> {
  const { uploadedFiles, fineTuning } = file.current.services;
  const projectId = owner.project.id;
  async function* content() {
    yield Buffer.from(asked.map(line).join(''));
  }
  const described = { name: 'data.jsonl', purpose: 'fine-tune' as const, createdBy: caller.userId };
  const stored = await uploadedFiles.store(projectId, content());
  const uploaded = await uploadedFiles.list(stored, { ...described, expiresAfterSeconds: null });
  const metadata = { heddle_allow_suite_rows: 'true' };
  const body = {
    model,
    training_file: openAiId('file-', uploaded.id),
    seed: 1,
    metadata,
    hyperparameters: { n_epochs: 1 },
  };
  const { id } = await fineTuning.create({ projectId, caller, body: body as never });
  const read = () => fineTuning.find(projectId as ProjectId, id);
  await expect.poll(async () => (await read()).status, { timeout: 60_000 }).toBe('ended');
  return (await read()).fineTunedModel;
}

test('a model is not clean of what its checkpoints were trained on, nor of those before', async () => {
  const owner = await newOwner();
  const suite = await freeze(
    owner,
    Array.from({ length: 6 }, (_, at) => ({ question: question(at) })),
  );
  const { suites } = file.current.services;
  const notClean = (model: string) => suites.notClean(suite, model, caller);
  await train(owner, 'agent', [question(1)]);
  await train(owner, 'agent', [question(100), question(3)]);
  await train(owner, 'other', [question(5)]);
  const agent = `wandb-artifact:///${owner.project.name}/agent`;
  expect(await notClean(`${agent}:step1`)).toEqual([1]);
  expect(await notClean(`${agent}:step2`)).toEqual([1, 3]);
  expect(await notClean(agent)).toEqual([1, 3]);
  expect(await notClean(`${agent}:step0`)).toEqual([]);
  expect(await notClean(`wandb-artifact:///${owner.project.name}/other`)).toEqual([5]);
  expect(await notClean('heddle/tiny')).toEqual([]);
  await expect(notClean(`${agent}:step3`)).rejects.toThrow('has no checkpoint of step 3');
  const tuned = await fineTune(owner, 'heddle/tiny', [question(0)]);
  const further = await fineTune(owner, tuned, [question(2)]);
  expect(await notClean(tuned)).toEqual([0]);
  expect(await notClean(further)).toEqual([0, 2]);
}, 180_000);

test('suites that are indexed in parts match what they match as a whole', async () => {
  const owner = await newOwner();
  const suite = await freeze(owner, [
    ...Array.from({ length: 50 }, (_, at) => ({ question: question(at), thread_id: `t${at % 10}` })),
  ]);
  const compare = openCompareData(file.current);
  const lines = [question(7), 'Nothing of the kind.', question(41), question(23).replace('Which', 'What')].map(line);
  lines.push(line('Go on.').replace('{', '{"thread_id":"t3",'));
  const data = {
    counted: 'lines' as const,
    async open() {
      return (async function* () {
        yield Buffer.from(lines.join(''));
      })();
    },
  };
  const { signal } = new AbortController();
  const found = async (charactersMax?: number) => {
    const { rows, overlaps } = await compare(owner.project.id, [suite], data, {
      signal,
      ...(charactersMax && { charactersMax }),
    });
    return { rows, overlaps: overlaps.toSorted((a, b) => a.rowIndex - b.rowIndex) };
  };
  const whole = await found();
  expect(whole.rows).toBe(4);
  expect(whole.overlaps.map(({ rowIndex, kind, line }) => [rowIndex, kind, line])).toEqual([
    [3, 'sibling', 5],
    [7, 'exact', 1],
    [13, 'sibling', 5],
    [23, 'contained', 4],
    [33, 'sibling', 5],
    [41, 'exact', 3],
    [43, 'sibling', 5],
  ]);
  expect(await found(1)).toEqual(whole);
  expect(await found()).toEqual(whole);
});
