import type { RotaryConfig } from '../models/config.ts';

/** The cosines and sines of the first positions, `[positions, head dim / 2]`. */
export type RotaryTable = { positions: number; cosines: Float32Array; sines: Float32Array };

/** Rounds angles to f32 like PyTorch: for large positions, this changes more than the last bit. */
export function rotaryTable({ inverseFrequencies, scale }: RotaryConfig, positions: number): RotaryTable {
  const frequencies = Float32Array.from(inverseFrequencies);
  const pairs = frequencies.length;
  const cosines = new Float32Array(positions * pairs);
  const sines = new Float32Array(positions * pairs);
  for (let position = 0; position < positions; position++) {
    for (let i = 0; i < pairs; i++) {
      const angle = Math.fround(position * frequencies[i]!);
      cosines[position * pairs + i] = Math.cos(angle) * scale;
      sines[position * pairs + i] = Math.sin(angle) * scale;
    }
  }
  return { positions, cosines, sines };
}
