import type { ModelConfig } from '../../models/config.ts';

/** Linear layers with the same input. Their `a` matrices are combined, so that the input is read once. */
export type LoraGroup = { name: string; inSize: number; modules: LoraModule[] };

export type LoraModule = {
  /** The name within a layer of Hugging Face models, such as `self_attn.q_proj`. */
  name: string;
  /** The name of the weight within a layer of the graph. */
  weight: string;
  outSize: number;
};

/** The position of a matrix in the array of all trained parameters. */
type LoraTensor = {
  /** The name of its graph input. */
  input: string;
  /** The module; for the `a` of a group, the modules of its rows, in order. */
  modules: string[];
  kind: 'a' | 'b';
  offset: number;
  shape: [number, number];
};

export type LoraLayout = { rank: number; length: number; tensors: LoraTensor[] };

/** The groups of a layer, which are the same for all layers. */
export function loraGroups(config: ModelConfig): LoraGroup[] {
  const { hiddenSize, feedForwardSize, heads, kvHeads, headDim } = config;
  const part = (name: string, weight: string, outSize: number): LoraModule => ({ name, weight, outSize });
  return [
    {
      name: 'qkv',
      inSize: hiddenSize,
      modules: [
        part('self_attn.q_proj', 'q', heads * headDim),
        part('self_attn.k_proj', 'k', kvHeads * headDim),
        part('self_attn.v_proj', 'v', kvHeads * headDim),
      ],
    },
    {
      name: 'attentionOut',
      inSize: heads * headDim,
      modules: [part('self_attn.o_proj', 'attentionOut', hiddenSize)],
    },
    {
      name: 'gateUp',
      inSize: hiddenSize,
      modules: [part('mlp.gate_proj', 'gate', feedForwardSize), part('mlp.up_proj', 'up', feedForwardSize)],
    },
    { name: 'down', inSize: feedForwardSize, modules: [part('mlp.down_proj', 'down', hiddenSize)] },
  ];
}

export function aInput(layer: number, group: LoraGroup): string {
  return `lora.${layer}.${group.name}.a`;
}

export function bInput(layer: number, module: LoraModule): string {
  return `lora.${layer}.${module.weight}.b`;
}

/** The order of the parameters and of their gradients in the graph's output. */
export function loraLayout(config: ModelConfig, rank: number): LoraLayout {
  const tensors: LoraTensor[] = [];
  let offset = 0;
  const add = (input: string, kind: 'a' | 'b', modules: string[], shape: [number, number]) => {
    tensors.push({ input, kind, modules, offset, shape });
    offset += shape[0] * shape[1];
  };
  for (const layer of config.layers.keys()) {
    for (const group of loraGroups(config)) {
      const names = group.modules.map(({ name }) => `model.layers.${layer}.${name}`);
      add(aInput(layer, group), 'a', names, [names.length * rank, group.inSize]);
      for (const [i, module] of group.modules.entries()) {
        add(bInput(layer, module), 'b', [names[i]!], [module.outSize, rank]);
      }
    }
  }
  return { rank, length: offset, tensors };
}
