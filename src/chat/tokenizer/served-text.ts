import { statSync } from 'node:fs';
import { readGgufMetadata } from '../../engine/models/gguf/metadata.ts';
import type { ChatTemplate } from '../templates/jinja/template.ts';
import { parseTemplate } from '../templates/render.ts';
import { modelTextOfFolder } from './from-folder.ts';
import { type GenerationConfig, generationConfigOf } from './generation-config.ts';
import { type ModelText, modelTextOfGguf } from './model-text.ts';

/** Everything that a model's files contain besides its weights. */
export type ServedText = ModelText & {
  template: ChatTemplate | null;
  config: GenerationConfig;
  /** Every token that ends a text, the tokenizer's own first. */
  eosIds: readonly number[];
};

export async function openServedText(path: string): Promise<ServedText> {
  const isFolder = statSync(path).isDirectory();
  const text = isFolder ? await modelTextOfFolder(path) : modelTextOfGguf((await readGgufMetadata({ path })).values);
  const config = isFolder ? await generationConfigOf(path) : { sampling: {}, eosIds: [], maxNewTokens: null };
  const own = text.eosId === null ? [] : [text.eosId];
  const template = text.chatTemplate === null ? null : parseTemplate(text.chatTemplate);
  return { ...text, template, config, eosIds: [...new Set([...own, ...config.eosIds])] };
}
