import { type GgufMetadata, tokenizerJsonOfGguf } from './from-gguf.ts';
import { Tokenizer } from './tokenizer.ts';

/** The text part of a model's files: its tokenizer, its chat template and the tokens that the template names. */
export type ModelText = {
  tokenizer: Tokenizer;
  /** By name: `default`, `tool_use` for requests with tools, and others that a request may name. */
  chatTemplates: ReadonlyMap<string, string>;
  /** `bos_token`, `eos_token` and so on, as a chat template sees them. */
  templateVariables: Record<string, string>;
  bosId: number | null;
  eosId: number | null;
};

/** The text part of a GGUF file, from its metadata. */
export function modelTextOfGguf(metadata: GgufMetadata): ModelText {
  const tokenizer = new Tokenizer(tokenizerJsonOfGguf(metadata));
  const idOf = (name: string) => {
    const id = metadata[`tokenizer.ggml.${name}_token_id`];
    return typeof id === 'number' && tokenizer.tokenOf(id) !== undefined ? id : null;
  };
  const names = { bos_token: 'bos', eos_token: 'eos', unk_token: 'unknown', pad_token: 'padding' };
  const variables = Object.entries(names).flatMap(([variable, name]) => {
    const id = idOf(name);
    return id === null ? [] : [[variable, tokenizer.tokenOf(id)!] as const];
  });
  return {
    tokenizer,
    chatTemplates: chatTemplatesOfGguf(metadata),
    templateVariables: Object.fromEntries(variables),
    bosId: idOf('bos'),
    eosId: idOf('eos'),
  };
}

export function chatTemplatesOfGguf(metadata: GgufMetadata): Map<string, string> {
  const found = Object.entries(metadata).flatMap(([key, value]) => {
    const name = /^tokenizer\.chat_template(?:\.(.+))?$/s.exec(key);
    return name && typeof value === 'string' ? [[name[1] ?? 'default', value] as const] : [];
  });
  return new Map(found);
}
