import { join } from 'node:path';
import { pythonEnvironment } from '../harness/python-environment.ts';

/** The newest supported release of wandb; the one that ART requires is in its environment. */
export const wandbEnvironment = pythonEnvironment('.venv-wandb', join(import.meta.dirname, 'requirements.lock'));
