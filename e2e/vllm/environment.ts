import { join } from 'node:path';
import { pythonEnvironment } from '../harness/python-environment.ts';

/** vLLM for processors. */
export const vllmEnvironment = pythonEnvironment('.venv-vllm', join(import.meta.dirname, 'requirements.lock'));
