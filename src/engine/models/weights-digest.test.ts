import { cpSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { weightsDigest } from './weights-digest.ts';

const tinyModelFolder = join(import.meta.dirname, '../../../assets/tiny-model');

const folder = mkdtempSync(join(tmpdir(), 'heddle-digest-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('is that of the weights alone, and is read again only if they change', async () => {
  const model = join(folder, 'model');
  const kept = join(folder, 'kept');
  cpSync(tinyModelFolder, model, { recursive: true });
  const digest = await weightsDigest(model, kept);
  expect(digest).toMatch(/^[0-9a-f]{64}$/);
  writeFileSync(join(model, 'config.json'), '{}');
  writeFileSync(join(kept, readdirSync(kept)[0]!), 'kept');
  expect(await weightsDigest(model, kept)).toBe('kept');
  const weights = join(model, 'model.safetensors');
  utimesSync(weights, new Date(), new Date(0));
  expect(await weightsDigest(model, kept)).toBe(digest);
  writeFileSync(weights, 'others');
  expect(await weightsDigest(model, kept)).not.toBe(digest);
  expect(readdirSync(kept)).toHaveLength(1);
});

test('reads a single file', async () => {
  const file = join(folder, 'model.gguf');
  writeFileSync(file, 'weights');
  expect(await weightsDigest(file, join(folder, 'of-file'))).toMatch(/^[0-9a-f]{64}$/);
});
