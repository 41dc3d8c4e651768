import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { testCommand } from '../../testing/heddle-process.ts';
import { type FakeHub, startFakeHub } from '../admin/testing/fake-hub.ts';
import { copyStoreTemplate } from '../api/testing/store-template.ts';
import { folderFiles, safetensorsFile } from '../engine/registry/testing/model-files.ts';
import { openDataDirectory } from '../store/data-directory.ts';
import { showProgress } from './progress-line.ts';
import { wanted } from './pull.ts';

const [program, ...words] = testCommand;
const root = mkdtempSync(join(tmpdir(), 'heddle-pull-'));
const large = safetensorsFile({ w: { dtype: 'F32', shape: [100_000], bytes: 400_000 } });
let data: string;
let hub: FakeHub;
const started: ChildProcess[] = [];

beforeAll(async () => {
  data = copyStoreTemplate(inject('storeTemplate'));
  openDataDirectory(data).close();
  hub = await startFakeHub({ ...folderFiles(), 'model.safetensors': large });
});
afterAll(async () => {
  for (const child of started.filter((each) => each.exitCode === null && each.signalCode === null)) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  await hub.close();
  rmSync(root, { recursive: true });
  rmSync(data, { recursive: true });
});

test('kill -9 during a pull leaves nothing listed, and the next pull goes on where it ended', async () => {
  hub.faults.set('model.safetensors', [{ kind: 'stall', afterBytes: 300_000 }]);
  const killed = heddle('pull', 'team/model');
  await until(() => partBytes() === 300_000);
  killed.child.kill('SIGKILL');
  await once(killed.child, 'exit');
  expect((await heddle('models').done).out).not.toContain('team/model');

  hub.asked.length = 0;
  const pulled = await heddle('pull', 'team/model').done;
  expect(pulled).toMatchObject({
    code: 0,
    err: expect.stringContaining('team/model is available: llama, 0.1 M parameters'),
  });
  expect(hub.asked).toEqual(['model.safetensors from 300000']);
  expect((await heddle('models').done).out).toMatch(/team\/model +llama .* 391 KB .* team\/model@c0ffee00/);

  const removed = await heddle('models', 'remove', 'team/model').done;
  expect(removed.err).toContain('Removed team/model');
  expect(await heddle('pull', 'team/other').done).toMatchObject({
    code: 1,
    err: expect.stringContaining('has no team/other'),
  });
});

test('what was typed is a place on the hub or on this machine', () => {
  const hubPlace = { kind: 'hub', repository: 'a/b', endpoint: 'https://huggingface.co' };
  expect(wanted('a/b', {}).place).toMatchObject({ ...hubPlace, revision: 'main' });
  expect(wanted('https://huggingface.co/a/b', { revision: 'v1' }).place).toMatchObject({ ...hubPlace, revision: 'v1' });
  expect(wanted('a/b:Q4_K_M', {})).toMatchObject({ place: hubPlace, quantisation: 'Q4_K_M' });
  for (const path of ['./a/b', '/a/b', '../b', 'model.gguf']) expect(wanted(path, {}).place.kind).toBe('local');
});

test('progress is one changing line on a terminal, and a line for each file elsewhere', () => {
  const shown = (isTTY: boolean) => {
    let text = '';
    const line = showProgress({ isTTY, write: (more) => (text += more) });
    for (const doneBytes of [0, 512, 1024]) line.show({ step: 'downloading', file: 'w', doneBytes, totalBytes: 1024 });
    line.end();
    return text;
  };
  expect(shown(false)).toBe('downloading w\n');
  expect(shown(true)).toContain('50 % of 1.0 KB');
});

function heddle(...args: string[]) {
  const env = { PATH: process.env.PATH, HOME: root, HEDDLE_DATA: data, HF_ENDPOINT: hub.endpoint };
  const child = spawn(program!, [...words, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  started.push(child);
  let out = '';
  let err = '';
  child.stdout.on('data', (part) => (out += part));
  child.stderr.on('data', (part) => (err += part));
  return { child, done: once(child, 'close').then(([code]) => ({ code, out, err })) };
}

function partBytes(): number {
  const folder = join(data, 'models', 'unfinished');
  const [key] = existsSync(folder) ? readdirSync(folder) : [];
  const part = join(folder, key ?? '', 'model.safetensors.part');
  return existsSync(part) ? statSync(part).size : 0;
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10));
}
