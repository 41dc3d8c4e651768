import { join } from 'node:path';
import { pythonEnvironment } from '../harness/python-environment.ts';

/** The requirements of OpenPipe ART, which pins an old version of LiteLLM. */
export const artEnvironment = pythonEnvironment('.venv-art', join(import.meta.dirname, 'requirements.lock'));
