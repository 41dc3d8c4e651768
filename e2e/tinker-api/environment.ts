import { join } from 'node:path';
import { pythonEnvironment } from '../harness/python-environment.ts';

const lock = (name: string) => join(import.meta.dirname, `${name}.lock`);

/** The newest client. */
export const tinkerEnvironment = pythonEnvironment('.venv-tinker', lock('requirements'));

/** A client that sends other requests: archives, and no sampling sessions that are joined. */
export const olderTinkerEnvironment = pythonEnvironment('.venv-tinker-older', lock('requirements-older'));

/** The newest client with the cookbook and PyTorch, of which not every package index has the build for CPUs. */
export const cookbookEnvironment = pythonEnvironment('.venv-tinker-cookbook', lock('requirements-cookbook'));
