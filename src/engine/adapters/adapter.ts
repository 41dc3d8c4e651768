/** LoRA weights for a base model. The output of each module becomes `x·Wᵀ + scale · (x·aᵀ)·bᵀ`. */
export type Adapter = {
  rank: number;
  alpha: number;
  /** Rank-stabilized: the scale is `alpha / √rank` instead of `alpha / rank`. */
  rslora: boolean;
  /** By name in Hugging Face models, such as `model.layers.3.self_attn.q_proj`. */
  modules: Map<string, AdapterModule>;
  /** The model it was trained on, according to its files. */
  baseModel: string | null;
};

export type AdapterModule = {
  /** `[rank, in]` */
  a: Float32Array;
  /** `[out, rank]` */
  b: Float32Array;
};

export function adapterScale({ rank, alpha, rslora }: Pick<Adapter, 'rank' | 'alpha' | 'rslora'>): number {
  return alpha / (rslora ? Math.sqrt(rank) : rank);
}
