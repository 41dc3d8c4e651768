import { InferenceSession } from 'onnxruntime-node';
import { encodeModel } from '../../graphs/onnx/encode.ts';
import { graphWeights } from '../../graphs/weights.ts';
import type { ModelConfig } from '../../models/config.ts';
import { openSource } from '../../models/open-source.ts';
import { prepareWeightFile } from '../../models/weight-file.ts';
import { type Embedding, openEmbedding } from '../../runtime/embedding.ts';
import { type RotaryTable, rotaryTable } from '../../runtime/rotary-table.ts';
import { trainingGraph } from '../graph/training-graph.ts';

/** A base model that is open for training LoRA weights. */
export type TrainingSession = {
  config: ModelConfig;
  session: InferenceSession;
  embedding: Embedding;
  /** The rows of the head, which many models share with the embedding. */
  head: Embedding;
  /** Grows with the longest row. */
  rotary: RotaryTable;
};

export type SessionOptions = {
  /** Directory for weights in the form that is mapped into memory; the same as for inference. */
  cacheDirectory: string;
  /** Default: one for each processor. */
  threads?: number | undefined;
};

/** @throws UnsupportedModelError, or an error about the files */
export async function openTrainingSession(path: string, options: SessionOptions): Promise<TrainingSession> {
  const { config, weights } = await openSource(path);
  try {
    const file = prepareWeightFile(path, options.cacheDirectory, graphWeights(config), weights);
    const graph = encodeModel(trainingGraph(config, file.places));
    const session = await InferenceSession.create(graph, {
      ...(options.threads === undefined ? {} : { intraOpNumThreads: options.threads }),
      enableMemPattern: false,
      extra: {
        session: { model_external_initializers_file_folder_path: file.folder, intra_op: { allow_spinning: '0' } },
      },
    });
    const embedding = openEmbedding(file, config);
    const head = config.tiedEmbeddings ? embedding : openEmbedding(file, config, 'head');
    return { config, session, embedding, head, rotary: rotaryTable(config.rotary, 0) };
  } finally {
    weights.close();
  }
}

export async function closeTrainingSession({ session, embedding, head }: TrainingSession): Promise<void> {
  await session.release();
  embedding.close();
  if (head !== embedding) head.close();
}
