import { create, toBinary } from '@bufbuild/protobuf';
import { ForwardBackwardOutputSchema, SampleResponseSchema, TopkLogprobsSchema } from '../proto/tinker.generated.ts';
import type { SamplingOutput, TopLogprobs, TrainingOutput } from '../training-output.ts';
import { dataTypes } from './data-types.ts';
import { bytesOf } from './floats.ts';

/** Data with one target for each token and data with several are in separate records: a record has one shape of its rows. */
export function writeTrainingOutput({ logprobs, metrics }: TrainingOutput): Uint8Array {
  const records: { trailing: number[]; values: Float32Array[] }[] = [];
  for (const { shape, values } of logprobs) {
    const trailing = shape.slice(1);
    const last = records.at(-1);
    if (last && last.trailing.join() === trailing.join()) last.values.push(values);
    else records.push({ trailing, values: [values] });
  }
  return toBinary(
    ForwardBackwardOutputSchema,
    create(ForwardBackwardOutputSchema, {
      lossFnOutputType: 'ArrayRecord',
      metrics,
      lossFnOutputs: records.map(({ trailing, values }) => ({
        typeTag: 'ArrayRecord',
        numDatums: BigInt(values.length),
        fields: {
          logprobs: {
            data: Buffer.concat(values.map(bytesOf)),
            offsets: bytesOf(offsetsOf(values)),
            dtype: dataTypes.float32,
            trailingShape: trailing.map(BigInt),
          },
        },
      })),
    }),
  );
}

export function writeSamplingOutput(output: SamplingOutput): Uint8Array {
  const { sequences, promptLogprobs, promptTop, cachedTokens } = output;
  return toBinary(
    SampleResponseSchema,
    create(SampleResponseSchema, {
      sequences: sequences.map(({ isStopped, tokens, logprobs, top }) => ({
        stopReason: isStopped ? 0 : 1,
        tokens: bytesOf(Int32Array.from(tokens)),
        logprobs: bytesOf(Float32Array.from(logprobs)),
        ...(top && { topkSampledLogprobs: topOf(top) }),
      })),
      ...(promptLogprobs && {
        promptLogprobs: bytesOf(Float32Array.from(promptLogprobs, (logprob) => logprob ?? Number.NaN)),
      }),
      ...(promptTop && { topkPromptLogprobs: topOf(promptTop) }),
      promptCacheHitTokens: cachedTokens,
    }),
  );
}

function offsetsOf(values: Float32Array[]): BigInt64Array {
  let end = 0n;
  return BigInt64Array.from([0n, ...values.map(({ byteLength }) => (end += BigInt(byteLength)))]);
}

/** What clients take for no token. */
const nothing = { token: 0, logprob: -99999 };

function topOf(positions: (TopLogprobs | null)[]) {
  const k = positions.reduce((most, top) => Math.max(most, top?.length ?? 0), 0);
  const cells = positions.flatMap((top) => Array.from({ length: k }, (_, i) => top?.[i] ?? nothing));
  return create(TopkLogprobsSchema, {
    tokenIds: bytesOf(Int32Array.from(cells, ({ token }) => token)),
    logprobs: bytesOf(Float32Array.from(cells, ({ logprob }) => logprob)),
    k,
    length: positions.length,
  });
}
