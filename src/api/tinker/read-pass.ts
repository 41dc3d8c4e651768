import { type PassBody, passBody, type WireTensor } from '../../contract/tinker/forward.ts';
import { validate } from '../../contract/validate.ts';
import type { Tensor, TrainingRequest } from '../../tinker/training-request.ts';
import { checkTensor } from '../../tinker/wire/check-tensor.ts';
import { readTrainingRequest } from '../../tinker/wire/read-protobuf.ts';
import { parseJson } from '../../util/json/parse.ts';

/** @throws Failure for a body that is not a request of the Tinker API in protobuf or JSON */
export function readPass(body: Uint8Array, contentType: string): TrainingRequest {
  if (/protobuf/i.test(contentType)) return readTrainingRequest(body);
  return fromJson(validate(passBody, parseJson(Buffer.from(body).toString()), 'body'));
}

function fromJson({
  model_id,
  seq_id,
  forward_backward_input: trained,
  forward_input: scored,
}: PassBody): TrainingRequest {
  const { data, loss_fn, loss_fn_config } = (trained ?? scored)!;
  return {
    modelId: model_id,
    seqId: seq_id,
    data: data.map(({ model_input, loss_fn_inputs }, i) => ({
      tokens: Int32Array.from(model_input.chunks.flatMap(({ tokens }) => tokens)),
      inputs: new Map(
        Object.entries(loss_fn_inputs).map(([name, tensor]) => [name, tensorOf(tensor, `data[${i}].${name}`)]),
      ),
    })),
    lossName: loss_fn,
    lossConfig: new Map(Object.entries(loss_fn_config ?? {})),
    isForwardOnly: trained === null,
  };
}

function tensorOf(tensor: WireTensor, field: string): Tensor {
  const { data, dtype, shape, sparse_crow_indices: rowStarts, sparse_col_indices: columns } = tensor;
  const values = dtype === 'int64' ? Int32Array.from(data) : Float32Array.from(data);
  const sparse = rowStarts && columns && { rowStarts, columns };
  return checkTensor({ shape: shape ?? [data.length], values, sparse }, field);
}
