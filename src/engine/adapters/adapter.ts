/** LoRA weights over a base model: the output of each of its modules becomes `x·Wᵀ + scale · (x·aᵀ)·bᵀ`. */
export type Adapter = {
  rank: number;
  alpha: number;
  /** Rank-stabilized: the scale is `alpha / √rank` instead of `alpha / rank`. */
  rslora: boolean;
  /** By their names in Hugging Face models: `model.layers.3.self_attn.q_proj`. */
  modules: Map<string, AdapterModule>;
  /** What the adapter was trained on, as its files say. */
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
