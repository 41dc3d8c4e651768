/**
 * Calls `work` with the files of a model on this machine: a Hugging Face folder, a GGUF file, or the PEFT folder of an
 * adapter. They are only read, and stay until the model is removed. @throws Failure if they are not here
 */
export type WithModelFiles = <Result>(
  model: { id: string; name: string },
  work: (path: string) => Promise<Result>,
) => Promise<Result>;
