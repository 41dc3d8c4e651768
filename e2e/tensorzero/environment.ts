import { join } from 'node:path';
import { pythonEnvironment } from '../harness/python-environment.ts';

/** TensorZero's own client, and OpenAI's. */
export const tensorZeroEnvironment = pythonEnvironment(
  '.venv-tensorzero',
  join(import.meta.dirname, 'requirements.lock'),
);
