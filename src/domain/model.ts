/** The origin of a model. */
type ModelSource =
  | { kind: 'built in' }
  /** A repository of the Hugging Face hub at a commit. */
  | { kind: 'hub'; repository: string; revision: string }
  | { kind: 'local'; path: string }
  /** A model that vLLM servers list; `root`: where its files are there. */
  | { kind: 'vllm'; root: string | null };

/** `loadedBy`: the user who loaded it over HTTP; null if it was pulled. */
type ModelAdapter = { base: string; rank: number; loadedBy: string | null };

/** A base model, wherever its weights are. */
export type BaseModel = Pick<Model, 'id' | 'name'>;

/** A model that is served: the metadata of its files. */
export type Model = {
  /** Changes when the name is given to another model. */
  id: string;
  name: string;
  source: ModelSource;
  /** Set if its files are LoRA weights over another model, with the name of that one. */
  adapter: ModelAdapter | null;
  /** The GGUF file in its folder; null for safetensors. */
  weightsFile: string | null;
  family: string;
  architecture: string;
  weightType: string;
  /** What its weights take in memory; null for an adapter, and for models installed before this was known. */
  memoryBytes: number | null;
  /** Null if they are not known, as for a model at vLLM servers. The same applies to its size. */
  parameters: number | null;
  contextLength: number;
  sizeBytes: number | null;
  pulledAt: Date;
};

/** A model before it is installed. */
export type NewModel = Omit<Model, 'id' | 'pulledAt' | 'source' | 'parameters' | 'sizeBytes'> & {
  source: Extract<ModelSource, { kind: 'hub' | 'local' }>;
  parameters: number;
  sizeBytes: number;
};
