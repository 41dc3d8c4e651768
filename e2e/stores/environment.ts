import { join } from 'node:path';
import { pythonEnvironment } from '../harness/python-environment.ts';

/** OpenStack Swift, whose s3api is the S3 server of the tests. */
export const swiftEnvironment = pythonEnvironment('.venv-swift', join(import.meta.dirname, 'requirements.lock'));
