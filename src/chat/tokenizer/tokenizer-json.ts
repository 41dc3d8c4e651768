/**
 * The parts of a Hugging Face `tokenizer.json` that heddle reads or rewrites; the rest is passed to the library
 * unchanged.
 */
export type TokenizerJson = {
  normalizer: Component | null;
  pre_tokenizer: Component | null;
  post_processor: Component | null;
  decoder: Component | null;
  added_tokens: AddedToken[];
  model: Component & { vocab: Record<string, number>; merges: string[] | [string, string][] };
};

/** One step of a tokenizer: its `type`, and its options as other members. */
export type Component = { type: string } & Record<string, unknown>;

export type AddedToken = {
  id: number;
  content: string;
  special: boolean;
  single_word?: boolean;
  lstrip?: boolean;
  rstrip?: boolean;
  normalized?: boolean;
};

/** All steps of a component, including those inside its sequences. */
export function stepsOf(component: Component | null): Component[] {
  if (component === null) return [];
  const inner = component.pretokenizers ?? component.normalizers ?? component.decoders ?? component.processors;
  return component.type === 'Sequence' ? (inner as Component[]).flatMap(stepsOf) : [component];
}
