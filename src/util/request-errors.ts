import { Canceled, Failure, ValidationError } from './failures.ts';
import { JsonDepthError, JsonSizeError, JsonSyntaxError } from './json/errors.ts';

/** The errors that a request may cause: what a thread throws on to whoever asked it (`workers/worker-client.ts`). */
export const requestErrors = [Failure, ValidationError, Canceled, JsonSyntaxError, JsonDepthError, JsonSizeError];
