import { join } from 'node:path';
import { pythonEnvironment } from '../harness/python-environment.ts';

/** What the Python client and its programs need. */
export const clientEnvironment = pythonEnvironment('.venv', join(import.meta.dirname, 'requirements.lock'));

export const { python, isReady: pythonIsReady } = clientEnvironment;
