import type { ModelReference } from '../chat/types.ts';
import type { BaseModel } from '../domain/model.ts';
import type { LayerSize } from '../engine/adapters/linear-layers.ts';

/** Says what a base model is without running it, wherever its weights are. */
export type ModelReader = {
  /** @throws Failure if the model is not known */
  sizes(model: BaseModel): Promise<ModelSizes>;
  /**
   * The sources of its chat templates by name: `default`, `tool_use` for requests with tools, and others.
   * @throws Failure if the model is not known
   */
  chatTemplates(model: BaseModel): Promise<ReadonlyMap<string, string>>;
  /**
   * Reads all files of a model and its adapter, and returns their digests as they are now.
   * @throws Failure if the model is not known, or files are missing
   */
  fileDigests(model: ModelReference): Promise<FileDigests>;
  /**
   * Calls `work` with the files that `openServedText` reads, for threads and processes that open them: a Hugging Face
   * folder, which may have no weights, or a GGUF file. They stay until `work` ends.
   * @throws Failure if the model is not known
   */
  withTextFiles<Result>(model: BaseModel, work: (path: string) => Promise<Result>): Promise<Result>;
};

export type ModelSizes = {
  /** The most tokens that a sequence may have. */
  contextLength: number;
  hiddenSize: number;
  /** The layers that an adapter may change, by their names in Hugging Face models. */
  linearLayers: ReadonlyMap<string, LayerSize>;
};

/** SHA-256 digests in hexadecimal, made as those in the record of an answer (`AnswerOrigin`). */
export type FileDigests = {
  weights: NamedDigest;
  tokenizer: NamedDigest;
  /** Null without an adapter. */
  adapter: NamedDigest | null;
  /** Of the sources of the chat templates, by their names. */
  templates: Record<string, string>;
};

/** One digest of several files. */
export type NamedDigest = { names: string[]; digest: string };
