import { statSync } from 'node:fs';
import { readGgufValues } from '../../engine/models/gguf/metadata.ts';
import type { ChatTemplate } from '../templates/jinja/template.ts';
import { parseTemplate } from '../templates/render.ts';
import { chatTemplatesOfFolder, modelTextOfFolder } from './from-folder.ts';
import { type GenerationConfig, generationConfigOf, generationConfigOfGguf } from './generation-config.ts';
import { chatTemplatesOfGguf, type ModelText, modelTextOfGguf } from './model-text.ts';

/** Everything that a model's files contain besides its weights. */
export type ServedText = ModelText & {
  /** The chat templates, parsed. */
  templates: ReadonlyMap<string, OwnTemplate>;
  config: GenerationConfig;
  /** Every token that ends a text, the tokenizer's own first. */
  eosIds: readonly number[];
};

/** A chat template of the model: its source, and parsed. */
export type OwnTemplate = { source: string; template: ChatTemplate };

/** @param path a Hugging Face folder, or a GGUF file; of each, what `textFilesOf` names is enough */
export async function openServedText(path: string): Promise<ServedText> {
  const isFolder = statSync(path).isDirectory();
  const metadata = isFolder ? null : await readGgufValues(path);
  const text = metadata === null ? await modelTextOfFolder(path) : modelTextOfGguf(metadata);
  const config = metadata === null ? await generationConfigOf(path) : generationConfigOfGguf(metadata);
  const own = text.eosId === null ? [] : [text.eosId];
  return { ...text, templates: parsedTemplates(text), config, eosIds: [...new Set([...own, ...config.eosIds])] };
}

/** The sources of the chat templates alone. */
export async function chatTemplatesOf(path: string): Promise<Map<string, string>> {
  if (statSync(path).isDirectory()) return chatTemplatesOfFolder(path);
  return chatTemplatesOfGguf(await readGgufValues(path));
}

/** @throws Failure with the name of a template that cannot be read */
function parsedTemplates({ chatTemplates }: ModelText): Map<string, OwnTemplate> {
  const parsed = [...chatTemplates].map(([name, source]): [string, OwnTemplate] => {
    try {
      return [name, { source, template: parseTemplate(source) }];
    } catch (error) {
      if (name === 'default') throw error;
      throw new Error(`The chat template ${JSON.stringify(name)}: ${(error as Error).message}`);
    }
  });
  return new Map(parsed);
}

/** The model's template for a conversation with or without tools; null if it has none. */
export function templateFor({ templates }: Pick<ServedText, 'templates'>, hasTools: boolean): OwnTemplate | null {
  return (hasTools ? templates.get('tool_use') : undefined) ?? templates.get('default') ?? null;
}
