import { join } from 'node:path';
import { pythonEnvironment } from '../harness/python-environment.ts';

/** What the tracing libraries need. They stand apart from the Python client, so that each keeps to its own versions. */
export const librariesEnvironment = pythonEnvironment('.venv-otlp', join(import.meta.dirname, 'requirements.lock'));

/** What the agent libraries need, which want other versions of the same packages. */
export const agentsEnvironment = pythonEnvironment('.venv-agents', join(import.meta.dirname, 'agents.lock'));
