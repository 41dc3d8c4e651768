import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelText } from './model-text.ts';
import { Tokenizer } from './tokenizer.ts';
import type { TokenizerJson } from './tokenizer-json.ts';

/** Reads the text side of a Hugging Face folder: `tokenizer.json`, `tokenizer_config.json`, `chat_template.jinja`. */
export async function modelTextOfFolder(folder: string): Promise<ModelText> {
  const json = (await readJson(join(folder, 'tokenizer.json'))) as TokenizerJson | null;
  if (!json) throw new Error('The model has no tokenizer.json. heddle needs one to turn text into tokens.');
  const config = ((await readJson(join(folder, 'tokenizer_config.json'))) ?? {}) as TokenizerConfig;
  const tokenizer = new Tokenizer(json);
  const variables = specialTokenVariables(config);
  const idOf = (name: string) => (variables[name] === undefined ? null : (tokenizer.idOf(variables[name]) ?? null));
  return {
    tokenizer,
    chatTemplate: await chatTemplateOf(folder, config),
    templateVariables: variables,
    bosId: idOf('bos_token'),
    eosId: idOf('eos_token'),
  };
}

type TokenizerConfig = Record<string, unknown> & {
  chat_template?: string | { name: string; template: string }[];
};

/** The file takes precedence over the configuration; of several named templates, `default` is used. */
async function chatTemplateOf(folder: string, { chat_template }: TokenizerConfig): Promise<string | null> {
  const file = join(folder, 'chat_template.jinja');
  if (existsSync(file)) return readFile(file, 'utf8');
  if (typeof chat_template === 'string') return chat_template;
  if (chat_template) return chat_template.find(({ name }) => name === 'default')?.template ?? null;
  const older = (await readJson(join(folder, 'chat_template.json'))) as { chat_template?: string } | null;
  return older?.chat_template ?? null;
}

/** `bos_token`, `eos_token` and the like, given as strings or as objects with a `content`. */
function specialTokenVariables(config: TokenizerConfig): Record<string, string> {
  const names = Object.keys(config).filter((name) => /_token$/.test(name));
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = config[name];
      const content = typeof value === 'string' ? value : (value as { content?: unknown } | null)?.content;
      return typeof content === 'string' ? [[name, content]] : [];
    }),
  );
}

async function readJson(file: string): Promise<unknown> {
  if (!existsSync(file)) return null;
  return JSON.parse(await readFile(file, 'utf8'));
}
