/** A model that this server answers with itself. Calling it costs nothing. */
export type ServedModel = {
  /** The name by which clients call it. */
  id: string;
  name: string;
  huggingFaceId: string | null;
  /** Unix seconds. */
  createdAt: number;
  contextLength: number;
  outputLengthMax: number;
  quantization: string | null;
  samplingParameters: string[];
  features: string[];
};
