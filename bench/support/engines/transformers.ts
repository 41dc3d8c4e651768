import { fileURLToPath } from 'node:url';
import { installPackage, packageProgram } from '../peers/python.ts';
import type { Engine } from './engine.ts';
import { startProgram } from './program.ts';

export const transformers: Engine = {
  name: 'transformers',
  prepare: installTransformers,
  start: (model) =>
    startProgram(transformersPython(), fileURLToPath(new URL('transformers_program.py', import.meta.url)), model),
};

export function installTransformers(): void {
  installPackage('transformers', '5.23.0', 'torch==2.13.0', 'gguf==0.19.0', 'accelerate==1.15.0', 'numpy==2.4.6');
}

export function transformersPython(): string {
  return packageProgram('transformers', 'python');
}
