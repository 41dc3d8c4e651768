import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { contentOf, withAddedTokens } from './added-tokens.ts';
import type { ModelText } from './model-text.ts';
import { readJsonFile } from './read-json-file.ts';
import { Tokenizer } from './tokenizer.ts';
import type { TokenizerJson } from './tokenizer-json.ts';

/**
 * Reads the text side of a Hugging Face folder as transformers does: `tokenizer.json`, `tokenizer_config.json`,
 * `special_tokens_map.json`, `added_tokens.json` and the chat templates.
 */
export async function modelTextOfFolder(folder: string): Promise<ModelText> {
  const json = (await readJsonFile(folder, 'tokenizer.json')) as TokenizerJson | null;
  if (!json) throw new Error('The model has no tokenizer.json. heddle needs one to turn text into tokens.');
  const files = {
    'tokenizer_config.json': await readJsonFile(folder, 'tokenizer_config.json'),
    'special_tokens_map.json': await readJsonFile(folder, 'special_tokens_map.json'),
    'added_tokens.json': await readJsonFile(folder, 'added_tokens.json'),
  };
  const config: TokenizerConfig = files['tokenizer_config.json'] ?? {};
  const tokenizer = new Tokenizer(withAddedTokens(json, files));
  const variables = specialTokenVariables({ ...files['special_tokens_map.json'], ...withoutNulls(config) });
  const idOf = (name: string) => (variables[name] === undefined ? null : (tokenizer.idOf(variables[name]) ?? null));
  return {
    tokenizer,
    ...(await chatTemplatesOfFolder(folder)),
    templateVariables: variables,
    bosId: idOf('bos_token'),
    eosId: idOf('eos_token'),
  };
}

type TokenizerConfig = Record<string, unknown> & {
  chat_template?: string | { name: string; template: string }[] | Record<string, string>;
};

/** The file takes precedence over the configuration; of several templates, `tool_use` is for requests with tools. */
export async function chatTemplatesOfFolder(folder: string): Promise<Pick<ModelText, 'chatTemplate' | 'toolTemplate'>> {
  const { chat_template }: TokenizerConfig = (await readJsonFile(folder, 'tokenizer_config.json')) ?? {};
  const file = join(folder, 'chat_template.jinja');
  if (existsSync(file)) return { chatTemplate: await readFile(file, 'utf8'), toolTemplate: null };
  if (typeof chat_template === 'string') return { chatTemplate: chat_template, toolTemplate: null };
  if (chat_template) {
    const named = Array.isArray(chat_template)
      ? Object.fromEntries(chat_template.map(({ name, template }) => [name, template]))
      : chat_template;
    return { chatTemplate: named.default ?? null, toolTemplate: named.tool_use ?? null };
  }
  const older = (await readJsonFile(folder, 'chat_template.json')) as { chat_template?: string } | null;
  return { chatTemplate: older?.chat_template ?? null, toolTemplate: null };
}

/** `bos_token`, `eos_token` and the like. */
function specialTokenVariables(config: Record<string, unknown>): Record<string, string> {
  const names = Object.keys(config).filter((name) => /_token$/.test(name));
  return Object.fromEntries(
    names.flatMap((name) => {
      const content = contentOf(config[name]);
      return content === null ? [] : [[name, content]];
    }),
  );
}

function withoutNulls(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}
