import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { copyStoreTemplate } from '../../../api/testing/store-template.ts';
import { newId } from '../../../contract/ids.ts';
import { configFile, weightsFile } from '../../../engine/adapters/peft/names.ts';
import { peftFiles } from '../../../engine/adapters/peft/write.ts';
import { readConfig } from '../../../engine/models/open-source.ts';
import { tinyModel } from '../../../engine/registry/tiny-model.ts';
import { randomAdapter } from '../../../engine/testing/random-adapter.ts';
import { openIdentity } from '../../../identity/identity.ts';
import { openOwnModelReader } from '../../../inference/own/own-model-reader.ts';
import { filesOfDirectory } from '../../../store/blobs/directory/blob-directory.ts';
import { canMount, mountSmallDisk, type SmallDisk } from '../../../store/disk/testing/small-disk.ts';
import { type Models, openModels } from '../../../store/models/models.ts';
import { openAlone } from '../../../store/peers/alone.ts';
import { openEmbeddedPostgres } from '../../../store/postgres/embedded/embedded-postgres.ts';
import type { Postgres } from '../../../store/postgres/postgres.ts';
import { installAdapter } from '../adapters/install-adapter.ts';
import { type ExportOrder, type ModelExports, openModelExports } from './export-model.ts';

let root: string;
let data: string;
let postgres: Postgres;
let models: Models;
let exports: ModelExports;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'heddle-exports-'));
  data = copyStoreTemplate(inject('storeTemplate'));
  postgres = await openEmbeddedPostgres(join(data, 'postgres'));
  models = await openModels(join(root, 'models'), postgres, [await tinyModel()], openAlone());
  exports = openModelExports({
    models,
    localFiles: filesOfDirectory(join(root, 'blobs')),
    postgres,
    peers: openAlone(),
    identity: openIdentity(postgres, openAlone()),
  });
});
afterAll(async () => {
  await postgres.close();
  for (const folder of [root, data]) rmSync(folder, { recursive: true });
});

let made = 0;
const newPath = (name = 'folder') => join(root, `${++made}-${name}`);
const never = new AbortController().signal;

function exportTo(target: string, more: Partial<ExportOrder> = {}, onProgress = () => {}, signal = never) {
  const order = { name: 'heddle/tiny', format: 'gguf' as const, target, replaces: false, ...more };
  return exports.export(order, { onProgress, signal });
}

/** Names that start like a path. */
function leftBeside(path: string): string[] {
  return readdirSync(dirname(path)).filter((name) => name.startsWith(basename(path)));
}

test('an adapter that is damaged is not exported, and the reason is named', async () => {
  const folder = mkdtempSync(join(root, 'adapter-'));
  const base = (await models.find('heddle/tiny'))!;
  const { config, weights } = peftFiles(randomAdapter(await models.withFiles(base, readConfig)));
  writeFileSync(join(folder, configFile), config);
  writeFileSync(join(folder, weightsFile), weights);
  const files = [configFile, weightsFile].map((name) => ({ name, path: join(folder, name), sizeBytes: 0 }));
  const adapter = { name: 'damaged', folder, files, base, id: newId(), loadedBy: null };
  const modelReader = openOwnModelReader(models.withFiles);
  const installed = await installAdapter({ models, modelReader }, adapter);
  await models.withFiles(installed, async (path) => writeFileSync(join(path, configFile), '{"r": 0}'));
  await expect(exportTo(newPath(), { name: 'damaged' })).rejects.toMatchObject({
    kind: 'unacceptable',
    message: expect.stringMatching(/^damaged cannot be exported\. adapter_config\.json cannot be used: /),
  });
});

describe('the target of an export', () => {
  test('is not overwritten, unless it is an earlier export and --force is given', async () => {
    const folder = newPath();
    await exportTo(folder);
    await expect(exportTo(folder, { format: 'safetensors' })).rejects.toThrow(/already exists.*--force/);
    await exportTo(folder, { format: 'safetensors', replaces: true });
    expect(readdirSync(folder)).toContain('model.safetensors');
    expect(readdirSync(folder)).not.toContain('heddle-tiny.gguf');
    const file = newPath('a.gguf');
    writeFileSync(file, 'an earlier one');
    await expect(exportTo(file)).rejects.toThrow(/already exists/);
    await exportTo(file, { replaces: true });
    expect(readFileSync(file).subarray(0, 4).toString()).toBe('GGUF');
    expect([...leftBeside(folder), ...leftBeside(file)]).toEqual([basename(folder), basename(file)]);
  });

  test('is never replaced if it is not an export', async () => {
    const folder = newPath();
    mkdirSync(folder);
    writeFileSync(join(folder, 'notes.txt'), 'mine');
    await expect(exportTo(folder, { replaces: true })).rejects.toThrow(/contains notes\.txt/);
    const file = join(folder, 'notes.txt');
    await expect(exportTo(file, { replaces: true })).rejects.toThrow(/is a file, which is not replaced/);
    const named = newPath('b.gguf');
    mkdirSync(named);
    await expect(exportTo(named, { replaces: true })).rejects.toThrow(/is a folder, which is not replaced/);
    expect(readFileSync(file, 'utf8')).toBe('mine');
  });

  test('rejects a path through a file', async () => {
    await expect(exportTo(join(import.meta.filename, 'a'))).rejects.toThrow(/part of the path is a file/);
  });

  test('only one command at a time writes to it, and removes what a killed command left', async () => {
    const folder = newPath();
    mkdirSync(`${folder}.unfinished`);
    writeFileSync(join(`${folder}.unfinished`, 'model.safetensors'), 'half');
    const both = await Promise.allSettled([exportTo(folder), exportTo(folder)]);
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(both[1]).toMatchObject({ reason: { message: `${folder} is being written by another command.` } });
    expect(leftBeside(folder)).toEqual([basename(folder)]);
  });

  test('leaves no files when the command is interrupted', async () => {
    const target = newPath('a.gguf');
    const ending = new AbortController();
    const ended = new Error('enough');
    const exporting = exportTo(target, {}, () => ending.abort(ended), ending.signal);
    await expect(exporting).rejects.toThrow(ended);
    expect(leftBeside(target)).toEqual([]);
  });
});

describe.skipIf(!canMount())('on a disk that is', () => {
  let disk: SmallDisk;
  beforeAll(() => {
    disk = mountSmallDisk(6);
  });
  afterAll(() => disk.remove());

  test('too small, writes nothing', async () => {
    disk.fill(3 * 1024 ** 2);
    const target = join(disk.path, 'a.gguf');
    await expect(exportTo(target)).rejects.toThrow(/needs 3\.5 MB, but the disk has 3\.0 MB/);
    expect(leftBeside(target)).toEqual([]);
    disk.empty();
  });

  test('full, leaves no files', async () => {
    const { sizeBytes } = await exportTo(newPath('a.gguf'));
    disk.fill(sizeBytes + 4096); // the weights fit, but not what comes before them
    const target = join(disk.path, 'a.gguf');
    await expect(exportTo(target)).rejects.toThrow(/The disk is full\. Nothing was written/);
    expect(leftBeside(target)).toEqual([]);
    disk.empty();
  });

  test('read-only, writes nothing', async () => {
    disk.makeReadOnly();
    await expect(exportTo(join(disk.path, 'a'))).rejects.toThrow(/cannot be written: the file system is read-only/);
  });
});
