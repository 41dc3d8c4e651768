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
  parsedToolTemplate: ChatTemplate | null;
  config: GenerationConfig;
  /** Every token that ends a text, the tokenizer's own first. */
  eosIds: readonly number[];
};

export async function openServedText(path: string): Promise<ServedText> {
  const isFolder = statSync(path).isDirectory();
  const text = isFolder ? await modelTextOfFolder(path) : modelTextOfGguf((await readGgufMetadata({ path })).values);
  const config = isFolder ? await generationConfigOf(path) : { sampling: {}, eosIds: [], maxNewTokens: null };
  const own = text.eosId === null ? [] : [text.eosId];
  const parsed = (source: string | null) => (source === null ? null : parseTemplate(source));
  const templates = { template: parsed(text.chatTemplate), parsedToolTemplate: parsed(text.toolTemplate) };
  return { ...text, ...templates, config, eosIds: [...new Set([...own, ...config.eosIds])] };
}

/** The model's template for a conversation with or without tools: its source, and parsed. */
export function templateFor(
  text: Pick<ServedText, 'chatTemplate' | 'toolTemplate' | 'template' | 'parsedToolTemplate'>,
  hasTools: boolean,
): { source: string; template: ChatTemplate } | null {
  const { chatTemplate, toolTemplate, template, parsedToolTemplate } = text;
  if (hasTools && toolTemplate !== null && parsedToolTemplate) {
    return { source: toolTemplate, template: parsedToolTemplate };
  }
  return chatTemplate !== null && template ? { source: chatTemplate, template } : null;
}
