import { readFileSync } from 'node:fs';

/** The version of heddle, from its package. */
export const version: string = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;

/** The supported version of the Weave trace API; the SDKs compare it with the version they need. */
export const traceServerVersion = '0.53.12';
