import { readFileSync } from 'node:fs';

/** The version of this heddle, from its package. */
export const version: string = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;

/** The level of the Weave trace interface that is spoken here; its SDKs compare it with what they need. */
export const traceServerVersion = '0.53.12';
