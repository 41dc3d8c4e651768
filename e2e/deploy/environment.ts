import { join } from 'node:path';
import { pythonEnvironment } from '../harness/python-environment.ts';

/** Linters of what is in `deploy/`, Helm as a library, and Caddy. */
export const deployEnvironment = pythonEnvironment('.venv-deploy', join(import.meta.dirname, 'requirements.lock'));
