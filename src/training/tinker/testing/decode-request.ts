import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

/** The server's half of `forward-backward-proto.ts`, written apart from it. */
export type DecodedRequest = {
  modelId: string;
  sequenceId: number;
  data: { tokens: number[]; inputs: Record<string, number[]> }[];
  loss: string;
  config: Record<string, number>;
  isForwardOnly: boolean;
};

export function decodeRequest(bytes: Uint8Array): DecodedRequest {
  const request: DecodedRequest = { modelId: '', sequenceId: 0, data: [], loss: '', config: {}, isForwardOnly: false };
  each(bytes, (field, reader) => {
    if (field === 1) request.modelId = reader.string();
    else if (field === 2) request.sequenceId = reader.int32();
    else if (field === 3) request.data.push(decodeDatum(reader.bytes()));
    else if (field === 4) request.loss = reader.string();
    else if (field === 5) Object.assign(request.config, decodeConfig(reader.bytes()));
    else if (field === 6) request.isForwardOnly = reader.bool();
    else throw new Error(`unknown field ${field}`);
  });
  return request;
}

function decodeDatum(bytes: Uint8Array): DecodedRequest['data'][number] {
  const datum: DecodedRequest['data'][number] = { tokens: [], inputs: {} };
  each(bytes, (field, reader) => {
    if (field === 1) {
      each(reader.bytes(), (_, chunk) =>
        each(chunk.bytes(), (_, text) => datum.tokens.push(...new Int32Array(copy(text.bytes())))),
      );
    } else {
      let name = '';
      let values: number[] = [];
      each(reader.bytes(), (part, entry) => {
        if (part === 1) name = entry.string();
        else values = decodeTensor(entry.bytes());
      });
      datum.inputs[name] = values;
    }
  });
  return datum;
}

function decodeTensor(bytes: Uint8Array): number[] {
  let [dense, type, length] = [new ArrayBuffer(), 0, 0];
  each(bytes, (field, reader) => {
    if (field === 1) dense = copy(reader.bytes());
    else if (field === 3) type = reader.int32();
    else length = Number(new BinaryReader(reader.bytes()).int64());
  });
  const values = type === 2 ? Array.from(new BigInt64Array(dense), Number) : Array.from(new Float32Array(dense));
  if (values.length !== length) throw new Error('the shape differs from the data');
  return values;
}

function decodeConfig(bytes: Uint8Array): Record<string, number> {
  let [name, value] = ['', 0];
  each(bytes, (field, reader) => {
    if (field === 1) name = reader.string();
    else value = reader.double();
  });
  return { [name]: value };
}

function each(bytes: Uint8Array, read: (field: number, reader: BinaryReader) => void): void {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) read(reader.tag()[0], reader);
}

function copy(bytes: Uint8Array): ArrayBuffer {
  return Uint8Array.from(bytes).buffer;
}

/** `ForwardBackwardOutput`, with further fields that clients skip. */
export function encodeOutput(logprobs: readonly Float32Array[]): Uint8Array {
  const writer = new BinaryWriter();
  writer.tag(1, WireType.LengthDelimited).string('scalar');
  writer.tag(2, WireType.LengthDelimited).fork();
  for (const name of ['elementwise_loss', 'logprobs']) {
    const offsets = new BigInt64Array(logprobs.length + 1);
    for (const [i, each] of logprobs.entries()) offsets[i + 1] = offsets[i]! + BigInt(each.byteLength);
    const data = Buffer.concat(logprobs.map((each) => Buffer.from(each.buffer, each.byteOffset, each.byteLength)));
    writer.tag(2, WireType.LengthDelimited).fork();
    writer.tag(1, WireType.LengthDelimited).string(name);
    writer.tag(2, WireType.LengthDelimited).fork();
    writer.tag(1, WireType.LengthDelimited).bytes(name === 'logprobs' ? data : Buffer.alloc(data.length));
    writer.tag(2, WireType.LengthDelimited).bytes(Buffer.from(offsets.buffer));
    writer.tag(3, WireType.Varint).int32(1).join().join();
  }
  writer.tag(3, WireType.Varint).int64(logprobs.length).join();
  return writer.finish();
}
