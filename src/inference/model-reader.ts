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
