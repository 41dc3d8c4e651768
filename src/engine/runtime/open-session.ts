import { InferenceSession } from 'onnxruntime-node';
import { adapterLayout } from '../adapters/layout.ts';
import { decoderGraph } from '../graphs/decoder.ts';
import { encodeModel } from '../graphs/onnx/encode.ts';
import { graphWeights } from '../graphs/weights.ts';
import { freeMemory, type MemoryPlan, planMemory } from '../memory/plan-memory.ts';
import { weightMemory } from '../memory/weight-memory.ts';
import { openSource } from '../models/open-source.ts';
import { prepareWeightFile } from '../models/weight-file.ts';
import { openEmbedding } from './embedding.ts';
import { KvCache } from './kv-cache.ts';
import { LoadedAdapters } from './loaded-adapters.ts';
import type { RunContext } from './run.ts';
import type { OpenOptions } from './types.ts';

/** Loads a model. @throws ModelTooLargeError */
export async function openSession(
  path: string,
  options: OpenOptions,
): Promise<{ context: RunContext; plan: MemoryPlan; isApproximate: boolean }> {
  const { config, weights } = await openSource(path);
  try {
    const arithmetic = options.arithmetic ?? 'exact';
    const measured = { config, weightMemory: weightMemory(config, weights, arithmetic) };
    const plan = planMemory(measured, freeMemory(), options);
    const { contextMax, cacheBytesMax } = plan;
    const form = arithmetic === 'widened' ? 'f32' : 'quantised';
    const file = prepareWeightFile(path, options.cacheDirectory, graphWeights(config), weights, form);
    const graph = encodeModel(decoderGraph(config, file.places, arithmetic));
    const session = await InferenceSession.create(graph, sessionOptions(file.folder, options));
    const { kvHeads, headDim } = config;
    const cache = new KvCache({ layers: config.layers.length, kvHeads, headDim, contextMax }, cacheBytesMax);
    const embedding = openEmbedding(file, config);
    const adapters = new LoadedAdapters(adapterLayout(config));
    const rotary = { global: null, local: null };
    const { batchInvariant = false } = options;
    const isApproximate = arithmetic === 'fast' && measured.weightMemory.areQuantised;
    return { context: { config, session, embedding, cache, adapters, rotary, batchInvariant }, plan, isApproximate };
  } finally {
    weights.close();
  }
}

function sessionOptions(folder: string, { threads }: OpenOptions): InferenceSession.SessionOptions {
  return {
    ...(threads === undefined ? {} : { intraOpNumThreads: threads }),
    // Allocation patterns are useless because shapes differ between runs.
    enableMemPattern: false,
    // Threads that spin between operators take processor time from others, and run at a quarter of their speed if these are busy.
    extra: {
      session: {
        model_external_initializers_file_folder_path: folder,
        intra_op: { allow_spinning: '0' },
        disable_quant_qdq: '1',
      },
    },
  };
}
