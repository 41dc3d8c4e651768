import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tinyModel } from '../../../src/engine/registry/tiny-model.ts';
import { variedRequest } from '../../../testing/varied-requests.ts';
import { type Heddle, pullModel, startHeddle } from '../heddle.ts';
import { randomFrom } from '../random.ts';
import { report } from '../report.ts';
import { chatAndRecord, trainedName, trainOn, verify } from './client.ts';

const settings = { HEDDLE_CHAT_BATCH_INVARIANT: 'true' };
const connections = 16;
const stepAnswers = 100;
const copyName = 'bench/copy';

/** Makes answers under load, verifies them after a restart in another order, with another step, and with a flipped bit. */
export async function prove(answers: number): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), 'heddle-bench-'));
  // A pull links files where it can: what is changed below must not be the model that comes with heddle.
  const copy = mkdtempSync(join(tmpdir(), 'heddle-bench-model-'));
  cpSync((await tinyModel()).path, copy, { recursive: true });
  await pullModel(data, copy, copyName);
  rmSync(copy, { recursive: true });
  let heddle = await startHeddle(data, settings);
  try {
    const models = await trainedModels(heddle);
    const started = performance.now();
    const bodies = Array.from({ length: answers }, (_, n) => ({
      ...variedRequest(n),
      model: models[n % models.length],
    }));
    const made = await chatAndRecord(heddle, bodies, connections);
    const ofStep = await chatAndRecord(heddle, longAnswers(trainedName('agent', 2)), connections);
    const ofCopy = await chatAndRecord(heddle, [{ ...variedRequest(0), model: copyName }], 1);
    report('answers made, 16 at a time', { answers: made.length, s: (performance.now() - started) / 1000 });
    await heddle.stop();
    heddle = await startHeddle(data, settings);
    await verifyAgain(heddle, shuffled(made));
    await verifyStepBefore(heddle, ofStep);
    await heddle.stop();
    const digest = flipBit(data);
    heddle = await startHeddle(data, settings);
    await verifyFlipped(heddle, ofCopy, digest);
  } finally {
    await heddle.stop();
    heddle.remove();
  }
}

/** The base model, and three checkpoints of two models. */
async function trainedModels(heddle: Heddle): Promise<string[]> {
  const learned = await chatAndRecord(
    heddle,
    Array.from({ length: 24 }, (_, n) => ({ ...variedRequest(11 * n + 2), n: 1, model: 'heddle/tiny' })),
    connections,
  );
  await trainOn(heddle, 'agent', learned.slice(0, 12), learningRate);
  await trainOn(heddle, 'agent', learned, learningRate);
  await trainOn(heddle, 'other', learned.slice(6, 18), learningRate);
  return ['heddle/tiny', trainedName('agent', 1), trainedName('agent', 2), trainedName('other', 1)];
}

const learningRate = 2e-2;

const longAnswers = (model: string) =>
  Array.from({ length: stepAnswers }, (_, n) => ({ ...variedRequest(11 * n), max_tokens: 40, model }));

async function verifyAgain(heddle: Heddle, ids: string[]): Promise<void> {
  const started = performance.now();
  const lines = await verify(heddle, ids);
  const seconds = (performance.now() - started) / 1000;
  const identical = lines.filter(({ result, is_promised }) => result === 'identical' && is_promised).length;
  report('identical after a restart, in another order', { [`of ${ids.length}`]: identical, s: seconds });
  for (const odd of lines.filter(({ result }) => result !== 'identical').slice(0, 5))
    process.stderr.write(`${JSON.stringify(odd)}\n`);
  if (identical < ids.length) process.exitCode = 1;
}

async function verifyStepBefore(heddle: Heddle, ids: string[]): Promise<void> {
  const lines = await verify(heddle, ids, trainedName('agent', 1));
  const different = lines.filter(({ result }) => result === 'different').length;
  for (const odd of lines.filter(({ result }) => result !== 'different').slice(0, 5))
    process.stderr.write(`${JSON.stringify(odd)}\n`);
  report('different with the step before', { [`of ${ids.length}`]: different });
  if (different < 0.99 * ids.length) process.exitCode = 1;
}

/** Flips one bit in the middle of the weights of the copy. @returns its file */
function flipBit(data: string): string {
  const folder = readdirSync(join(data, 'models')).find((name) =>
    readdirSync(join(data, 'models', name)).includes('model.safetensors'),
  )!;
  const file = join(data, 'models', folder, 'model.safetensors');
  const bytes = readFileSync(file);
  bytes[Math.floor(bytes.length / 2)]! ^= 4;
  writeFileSync(file, bytes);
  return file;
}

async function verifyFlipped(heddle: Heddle, ids: string[], file: string): Promise<void> {
  const [line] = await verify(heddle, ids);
  const [fault] = line!.digests;
  report(`a flipped bit in ${file.split('/').at(-1)}`, { [line!.message ?? '']: `${line!.result}:` });
  if (fault?.file !== 'weights' || fault.found === fault.recorded) process.exitCode = 1;
}

function shuffled(ids: string[]): string[] {
  const random = randomFrom(7);
  return ids
    .map((id) => ({ id, key: random.below(1e9) }))
    .sort((a, b) => a.key - b.key)
    .map(({ id }) => id);
}
