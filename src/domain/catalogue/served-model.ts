/** A model that this server runs itself. Calling it costs nothing. */
export type ServedModel = {
  /** The name that clients use. */
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
