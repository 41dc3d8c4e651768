import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openServedText } from '../../chat/tokenizer/served-text.ts';
import { filesAt } from '../../engine/testing/files-at.ts';
import { fixtures, temporaryFolder } from '../../engine/testing/fixtures.ts';
import { notFound } from '../../util/failures.ts';
import { openOwnModelReader } from './own-model-reader.ts';
import { tiny, tinyPath } from './testing/open-tiny.ts';

const llama = join(fixtures, 'models/llama');

test('a folder and a GGUF file of the same model have the same sizes', async () => {
  const sizes = await openOwnModelReader(filesAt(llama)).sizes(tiny);
  expect(await openOwnModelReader(filesAt(join(llama, 'model.gguf'))).sizes(tiny)).toEqual(sizes);
  const { hiddenSize } = sizes;
  expect(sizes.linearLayers.get('model.layers.0.self_attn.q_proj')).toMatchObject({ inSize: hiddenSize });
});

test('sizes are read without weights, which a folder may lack', async () => {
  const { folder, remove } = temporaryFolder();
  onTestFinished(remove);
  cpSync(join(tinyPath, 'config.json'), join(folder, 'config.json'));
  const reader = openOwnModelReader(filesAt(folder));
  expect(await reader.sizes(tiny)).toEqual(await openOwnModelReader(filesAt(tinyPath)).sizes(tiny));
});

test('the sizes of a model are read once, those of another with the same name again', async () => {
  const read: string[] = [];
  const reader = openOwnModelReader(({ id }, work) => {
    read.push(id);
    return work(id === 'tiny' ? tinyPath : llama);
  });
  const first = await reader.sizes(tiny);
  expect(await reader.sizes(tiny)).toEqual(first);
  expect((await reader.sizes({ ...tiny, id: 'other' })).hiddenSize).not.toBe(first.hiddenSize);
  expect(read).toEqual(['tiny', 'other']);
});

test('reads chat templates, and gives the files of the text half to whoever opens them', async () => {
  const reader = openOwnModelReader(filesAt(tinyPath));
  const { chatTemplates } = await reader.withTextFiles(tiny, openServedText);
  expect(await reader.chatTemplates(tiny)).toEqual(chatTemplates);
  expect(chatTemplates.get('default')).toContain('messages');
});

test('a model that is not known is refused by all, and known once it is there', async () => {
  let isThere = false;
  const reader = openOwnModelReader(async (_, work) => {
    if (!isThere) throw notFound('not here');
    return work(tinyPath);
  });
  for (const read of [reader.sizes, reader.chatTemplates]) await expect(read(tiny)).rejects.toThrow('not here');
  await expect(reader.withTextFiles(tiny, openServedText)).rejects.toThrow('not here');
  isThere = true;
  expect((await reader.sizes(tiny)).contextLength).toBeGreaterThan(0);
});
