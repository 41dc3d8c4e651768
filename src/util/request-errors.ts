import { Canceled, Failure, ValidationError } from './failures.ts';
import { JsonDepthError, JsonSizeError, JsonSyntaxError } from './json/errors.ts';

/** The errors that a request may cause, which a thread passes on to its caller (`workers/worker-client.ts`). */
export const requestErrors = [Failure, ValidationError, Canceled, JsonSyntaxError, JsonDepthError, JsonSizeError];
