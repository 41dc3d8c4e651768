import { join } from 'node:path';
import { pythonEnvironment } from '../harness/python-environment.ts';

/** What the chat clients need. They hold the OpenAI client to other versions than the tracing client's programs use. */
export const chatEnvironment = pythonEnvironment('.venv-chat', join(import.meta.dirname, 'requirements.lock'));
