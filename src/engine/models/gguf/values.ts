import { type GGUFTypedMetadata, GGUFValueType } from '@huggingface/gguf';

/** A metadata value of a GGUF file with its type. */
export type TypedValue = GGUFTypedMetadata[string];
export type TypedValues = Record<string, TypedValue>;

/** Values in the types that llama.cpp expects. */
export const ggufValue = {
  count: (value: number): TypedValue => ({ value, type: GGUFValueType.UINT32 }),
  real: (value: number): TypedValue => ({ value, type: GGUFValueType.FLOAT32 }),
  flag: (value: boolean): TypedValue => ({ value, type: GGUFValueType.BOOL }),
  text: (value: string): TypedValue => ({ value, type: GGUFValueType.STRING }),
  texts: (value: string[]): TypedValue => ({ value, type: GGUFValueType.ARRAY, subType: GGUFValueType.STRING }),
  integers: (value: number[]): TypedValue => ({ value, type: GGUFValueType.ARRAY, subType: GGUFValueType.INT32 }),
  reals: (value: number[]): TypedValue => ({ value, type: GGUFValueType.ARRAY, subType: GGUFValueType.FLOAT32 }),
};
