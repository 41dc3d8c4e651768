import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openServedText, type ServedText } from '../../../chat/tokenizer/served-text.ts';
import { tinyModel } from '../../../engine/registry/tiny-model.ts';
import { planExport } from './export-files.ts';

let folder: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'heddle-export-files-'));
  cpSync((await tinyModel()).path, join(folder, 'base'), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true }));

const base = (name: string) => join(folder, 'base', name);
function change(name: string, changed: (content: any) => unknown): void {
  writeFileSync(base(name), JSON.stringify(changed(JSON.parse(readFileSync(base(name), 'utf8')))));
}

async function exported(format: 'gguf' | 'safetensors', basePath: string): Promise<string> {
  const target = mkdtempSync(join(folder, 'to-'));
  const files = await planExport(format, { title: 'm', basePath, baseName: null, adapterFolder: null });
  for (const file of files) for (const _ of file.write(join(target, file.name)));
  return format === 'gguf' ? join(target, 'm.gguf') : target;
}

const essence = ({ tokenizer, chatTemplates, config, eosIds, bosId }: ServedText) => ({
  ids: ['<|im_start|>user\nHi<|im_end|>', "It's  1234, ü"].map((text) => tokenizer.encode(text)),
  specialIds: [...tokenizer.specialIds].sort(),
  chatTemplates: Object.fromEntries(chatTemplates),
  sampling: config.sampling,
  eosIds,
  bosId,
});

test('a folder becomes a GGUF file and a folder again with the same tokens, templates and defaults', async () => {
  const [, moved] = JSON.parse(readFileSync(base('tokenizer.json'), 'utf8')).added_tokens;
  change('tokenizer.json', (json) => ({
    ...json,
    added_tokens: json.added_tokens.filter(({ id }: { id: number }) => id !== moved.id),
  }));
  change('tokenizer_config.json', ({ chat_template: template, ...config }) => ({
    ...config,
    added_tokens_decoder: { [moved.id]: moved },
    chat_template: ['default', 'tool_use', 'rag'].map((name) => ({ name, template: `${template}{# ${name} #}` })),
  }));
  const config = { eos_token_id: [2, 5, 7], do_sample: true, temperature: 0.6, top_k: 20, top_p: 0.95 };
  change('generation_config.json', () => config);
  const original = essence(await openServedText(base('')));
  expect(original.eosIds).toEqual([2, 5, 7]);
  const file = await exported('gguf', base(''));
  expect(essence(await openServedText(file))).toEqual(original);
  expect(essence(await openServedText(await exported('safetensors', file)))).toEqual(original);
});

test('a file that cannot hold what the folder says is not planned', async () => {
  change('generation_config.json', () => ({ eos_token_id: [2, 3, 4, 5] }));
  await expect(exported('gguf', base(''))).rejects.toThrow(/generation_config\.json.*eos_token_id names 3/);
});
