import { BinaryWriter } from '@bufbuild/protobuf/wire';

/**
 * Encodes graphs as protobuf, with the part of ONNX that they use. Field numbers are those of `onnx.proto`
 * (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto).
 */
export type OnnxGraph = {
  name: string;
  nodes: OnnxNode[];
  constants: OnnxConstant[];
  weights: OnnxWeight[];
  inputs: OnnxValueInfo[];
  outputs: OnnxValueInfo[];
};

export type OnnxNode = {
  type: string;
  domain: string;
  inputs: string[];
  outputs: string[];
  attributes: Record<string, OnnxAttribute>;
};

/** Numbers are encoded as integers; `float` encodes a number as a float. */
export type OnnxAttribute = number | string | number[] | { float: number } | { graph: OnnxGraph };

/** A small tensor inside the graph. */
export type OnnxConstant = { name: string; type: OnnxType; shape: number[]; data: Uint8Array };

/** A large tensor in a file beside the graph. */
export type OnnxWeight = { name: string; type: OnnxType; shape: number[]; file: string; offset: number };

/** A dimension is a number or, if it varies between runs, a name. */
export type OnnxValueInfo = { name: string; type: OnnxType; shape: (number | string)[] };

export type OnnxType = keyof typeof typeNumbers;

const typeNumbers = { float32: 1, uint8: 2, int8: 3, int32: 6, int64: 7, bool: 9 } as const;
const weightBytes: Partial<Record<OnnxType, number>> = { float32: 4, uint8: 1 };
const attributeTypes = { float: 1, int: 2, string: 3, graph: 5, ints: 7 } as const;
const opsets = { '': 21, 'com.microsoft': 1 };
const irVersion = 10;

export function encodeModel(graph: OnnxGraph): Uint8Array {
  const writer = new BinaryWriter();
  writer.tag(1, 0).int64(irVersion);
  writer.tag(2, 2).string('heddle');
  message(writer, 7, () => writeGraph(writer, graph));
  for (const [domain, version] of Object.entries(opsets)) {
    message(writer, 8, () => writer.tag(1, 2).string(domain).tag(2, 0).int64(version));
  }
  return writer.finish();
}

function writeGraph(writer: BinaryWriter, graph: OnnxGraph): void {
  for (const node of graph.nodes) message(writer, 1, () => writeNode(writer, node));
  writer.tag(2, 2).string(graph.name);
  for (const constant of graph.constants) message(writer, 5, () => writeConstant(writer, constant));
  for (const weight of graph.weights) message(writer, 5, () => writeWeight(writer, weight));
  for (const input of graph.inputs) message(writer, 11, () => writeValueInfo(writer, input));
  for (const output of graph.outputs) message(writer, 12, () => writeValueInfo(writer, output));
}

function writeNode(writer: BinaryWriter, node: OnnxNode): void {
  for (const input of node.inputs) writer.tag(1, 2).string(input);
  for (const output of node.outputs) writer.tag(2, 2).string(output);
  writer.tag(3, 2).string(node.outputs.find((output) => output !== '')!);
  writer.tag(4, 2).string(node.type);
  for (const [name, value] of Object.entries(node.attributes)) {
    message(writer, 5, () => writeAttribute(writer, name, value));
  }
  if (node.domain !== '') writer.tag(7, 2).string(node.domain);
}

function writeAttribute(writer: BinaryWriter, name: string, value: OnnxAttribute): void {
  writer.tag(1, 2).string(name);
  const type = attributeType(value);
  if (typeof value === 'number') writer.tag(3, 0).int64(value);
  else if (typeof value === 'string') writer.tag(4, 2).string(value);
  else if (Array.isArray(value)) for (const each of value) writer.tag(8, 0).int64(each);
  else if ('float' in value) writer.tag(2, 5).float(value.float);
  else message(writer, 6, () => writeGraph(writer, value.graph));
  writer.tag(20, 0).int32(attributeTypes[type]);
}

function attributeType(value: OnnxAttribute): keyof typeof attributeTypes {
  if (typeof value === 'number') return 'int';
  if (typeof value === 'string') return 'string';
  if (Array.isArray(value)) return 'ints';
  return 'float' in value ? 'float' : 'graph';
}

function writeConstant(writer: BinaryWriter, constant: OnnxConstant): void {
  writeTensorHead(writer, constant.name, constant.type, constant.shape);
  writer.tag(9, 2).bytes(constant.data);
}

function writeWeight(writer: BinaryWriter, weight: OnnxWeight): void {
  writeTensorHead(writer, weight.name, weight.type, weight.shape);
  const length = weightBytes[weight.type]! * weight.shape.reduce((product, size) => product * size, 1);
  for (const [key, value] of Object.entries({ location: weight.file, offset: weight.offset, length })) {
    message(writer, 13, () => writer.tag(1, 2).string(key).tag(2, 2).string(String(value)));
  }
  const external = 1;
  writer.tag(14, 0).int32(external);
}

function writeTensorHead(writer: BinaryWriter, name: string, type: OnnxType, shape: number[]): void {
  for (const size of shape) writer.tag(1, 0).int64(size);
  writer.tag(2, 0).int32(typeNumbers[type]);
  writer.tag(8, 2).string(name);
}

function writeValueInfo(writer: BinaryWriter, { name, type, shape }: OnnxValueInfo): void {
  writer.tag(1, 2).string(name);
  message(writer, 2, () =>
    message(writer, 1, () => {
      writer.tag(1, 0).int32(typeNumbers[type]);
      message(writer, 2, () => {
        for (const size of shape) message(writer, 1, () => writeDimension(writer, size));
      });
    }),
  );
}

function writeDimension(writer: BinaryWriter, size: number | string): void {
  if (typeof size === 'number') writer.tag(1, 0).int64(size);
  else writer.tag(2, 2).string(size);
}

function message(writer: BinaryWriter, field: number, write: () => unknown): void {
  writer.tag(field, 2).fork();
  write();
  writer.join();
}
