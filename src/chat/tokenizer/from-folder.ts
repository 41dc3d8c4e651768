import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { additionalTemplates } from '../../engine/registry/choose-files.ts';
import { isObject } from '../../util/json/own-member.ts';
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
  return (await textOfFolder(folder)).text;
}

/** The same with the tokenizer as JSON, including the tokens that only other files define. */
export async function textOfFolder(folder: string): Promise<{ text: ModelText; json: TokenizerJson }> {
  const own = (await readJsonFile(folder, 'tokenizer.json')) as TokenizerJson | null;
  if (!own) throw new Error('The model has no tokenizer.json. heddle needs one to turn text into tokens.');
  const files = {
    'tokenizer_config.json': await readJsonFile(folder, 'tokenizer_config.json'),
    'special_tokens_map.json': await readJsonFile(folder, 'special_tokens_map.json'),
    'added_tokens.json': await readJsonFile(folder, 'added_tokens.json'),
  };
  const config: TokenizerConfig = files['tokenizer_config.json'] ?? {};
  const json = withAddedTokens(own, files);
  const tokenizer = new Tokenizer(json);
  const variables = specialTokenVariables({ ...files['special_tokens_map.json'], ...withoutNulls(config) });
  const idOf = (name: string) => (variables[name] === undefined ? null : (tokenizer.idOf(variables[name]) ?? null));
  const text = {
    tokenizer,
    chatTemplates: await chatTemplatesOfFolder(folder),
    templateVariables: variables,
    bosId: idOf('bos_token'),
    eosId: idOf('eos_token'),
  };
  return { text, json };
}

type TokenizerConfig = Record<string, unknown>;

/** Template files take precedence over the configuration. @throws if a template is not a string */
export async function chatTemplatesOfFolder(folder: string): Promise<Map<string, string>> {
  const files = await templateFiles(folder);
  if (files.size > 0) return files;
  const config: TokenizerConfig = (await readJsonFile(folder, 'tokenizer_config.json')) ?? {};
  const configured = configuredTemplates(config.chat_template, 'tokenizer_config.json');
  if (configured.size > 0) return configured;
  const older: Record<string, unknown> = (await readJsonFile(folder, 'chat_template.json')) ?? {};
  return configuredTemplates(older.chat_template, 'chat_template.json');
}

/** `chat_template.jinja` is the default; each file in the folder beside it has the name of its template. */
async function templateFiles(folder: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const file = join(folder, 'chat_template.jinja');
  if (existsSync(file)) found.set('default', await readFile(file, 'utf8'));
  const others = join(folder, additionalTemplates);
  for (const name of existsSync(others) ? (await readdir(others)).sort() : []) {
    if (name.endsWith('.jinja')) found.set(name.slice(0, -6), await readFile(join(others, name), 'utf8'));
  }
  return found;
}

/** One template, or several with names. */
function configuredTemplates(value: unknown, file: string): Map<string, string> {
  if (value === undefined || value === null) return new Map();
  const faulty = (place: string) => new Error(`${file} has ${place}, which is not a template.`);
  if (typeof value === 'string') return new Map([['default', value]]);
  if (isObject(value)) return configuredTemplates(asList(value), file);
  if (!Array.isArray(value)) throw faulty('chat_template');
  return new Map(
    value.map((each: unknown, index): [string, string] => {
      const place = `chat_template[${index}]`;
      if (!isObject(each) || typeof each.name !== 'string') throw faulty(place);
      if (typeof each.template !== 'string') throw faulty(`${place} (${each.name})`);
      return [each.name, each.template];
    }),
  );
}

function asList(named: Record<string, unknown>) {
  return Object.entries(named).map(([name, template]) => ({ name, template }));
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
