import type { GroupFormat } from '../../models/grouped-rows.ts';
import type { WeightPlace } from '../../models/weight-layout.ts';
import type {
  OnnxAttribute,
  OnnxConstant,
  OnnxGraph,
  OnnxNode,
  OnnxType,
  OnnxValueInfo,
  OnnxWeight,
} from './encode.ts';

/** The name of a value in a graph. */
export type Value = string;

/** The tensors of a quantised matrix `[out, in]`. */
export type GroupedWeight = { shape: number[]; format: GroupFormat; codes: Value; scales: Value; minima: Value | null };

/** The domain of ONNX Runtime's own operators. */
const microsoft = 'com.microsoft';
const standardOperators = new Set(
  `Abs Add And AveragePool Cast Concat ConstantOfShape DequantizeLinear Div Exp Gather GatherElements GatherND
   Gemm If Less Log MatMul Max MaxPool Min Mul Neg NonZero
   Pad QuantizeLinear ReduceMax ReduceMean ReduceSum Reshape Scan ScatterElements ScatterND Shape Sigmoid
   SimplifiedLayerNormalization Size Slice Softmax Split Sqrt Sub Sum Tanh TopK Transpose Unsqueeze
   Where`.split(/\s+/),
);

/** Collects the nodes of a graph. Functions that add computations take a builder and values, and return values. */
export class GraphBuilder {
  /** The prefix of all names of a branch: a graph and its branches share one namespace. */
  readonly name: string;
  readonly #weightPlaces: ReadonlyMap<string, WeightPlace>;
  readonly #nodes: OnnxNode[] = [];
  readonly #constants = new Map<string, OnnxConstant>();
  readonly #weights = new Map<string, OnnxWeight>();
  readonly #inputs: OnnxValueInfo[] = [];
  readonly #outputs: OnnxValueInfo[] = [];

  constructor(name: string, weightPlaces: ReadonlyMap<string, WeightPlace>) {
    this.name = name;
    this.#weightPlaces = weightPlaces;
  }

  input(name: string, type: OnnxType, shape: (number | string)[]): Value {
    this.#inputs.push({ name, type, shape });
    return name;
  }

  output(name: string, value: Value, type: OnnxType, shape: (number | string)[]): void {
    this.#nodes.push({ type: 'Identity', domain: '', inputs: [value], outputs: [name], attributes: {} });
    this.#outputs.push({ name, type, shape });
  }

  op(type: string, inputs: Value[], attributes: Record<string, OnnxAttribute> = {}): Value {
    return this.ops(type, inputs, attributes, 1)[0]!;
  }

  /** Adds an operator with several outputs. */
  ops(type: string, inputs: Value[], attributes: Record<string, OnnxAttribute>, outputCount: number): Value[] {
    const stem = `${this.name}/${type}_${this.#nodes.length}`;
    const outputs = Array.from({ length: outputCount }, (_, i) => (i === 0 ? stem : `${stem}.${i}`));
    const domain = standardOperators.has(type) ? '' : microsoft;
    this.#nodes.push({ type, domain, inputs, outputs, attributes });
    return outputs;
  }

  /** A weight in f32. */
  weight(name: string): Value {
    const place = this.#place(name);
    if (place.kind !== 'f32') throw new Error(`the weight ${name} is quantised`);
    return this.#addWeight(name, 'float32', place.shape, place);
  }

  /** A quantised weight; null if the weight is in f32. */
  groupedWeight(name: string): GroupedWeight | null {
    const place = this.#place(name);
    if (place.kind === 'f32') return null;
    const { file, shape, format, offsets } = place;
    const [outSize, inSize] = shape as [number, number];
    const groups = inSize / format.groupSize;
    const codesShape = [outSize, groups, (format.groupSize * format.bits) / 8];
    const add = (part: string, type: OnnxType, partShape: number[], offset: number) =>
      this.#addWeight(`${name}.${part}`, type, partShape, { file, offset });
    return {
      shape,
      format,
      codes: add('codes', 'uint8', codesShape, offsets.codes),
      scales: add('scales', 'float32', [outSize * groups], offsets.scales),
      minima: offsets.minima === null ? null : add('minima', 'float32', [outSize, groups], offsets.minima),
    };
  }

  hasWeight(name: string): boolean {
    return this.#weightPlaces.has(name);
  }

  /** Integers, for shapes, axes and split sizes. */
  integers(...values: number[]): Value {
    const data = new BigInt64Array(values.map(BigInt));
    return this.#constant(`int64[${values}]`, 'int64', [values.length], data);
  }

  /** A scalar. */
  float(value: number): Value {
    return this.#constant(`float32(${value})`, 'float32', [], Float32Array.of(value));
  }

  /** A matrix without elements. */
  emptyFloats(): Value {
    return this.#constant('float32[0, 0]', 'float32', [0, 0], new Float32Array(0));
  }

  graph(): OnnxGraph {
    const constants = [...this.#constants.values()];
    const weights = [...this.#weights.values()];
    const [nodes, inputs, outputs] = [this.#nodes, this.#inputs, this.#outputs];
    return { name: this.name, nodes, constants, weights, inputs, outputs };
  }

  /** A graph for a branch of an `If`. It can use all values created so far. */
  branch(name: string): GraphBuilder {
    return new GraphBuilder(`${this.name}/${name}_${this.#nodes.length}`, this.#weightPlaces);
  }

  #place(name: string): WeightPlace {
    const place = this.#weightPlaces.get(name);
    if (place === undefined) throw new Error(`the model has no weight ${name}`);
    return place;
  }

  #addWeight(name: string, type: OnnxType, shape: number[], { file, offset }: { file: string; offset: number }): Value {
    this.#weights.set(name, { name, type, shape, file, offset });
    return name;
  }

  #constant(key: string, type: OnnxType, shape: number[], data: BigInt64Array | Float32Array): Value {
    const name = `${this.name}/${key}`;
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    this.#constants.set(name, { name, type, shape, data: bytes });
    return name;
  }
}
