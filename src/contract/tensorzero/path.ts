import { projectParams } from '../project.ts';

export const group = 'TensorZero';
/** What a TensorZero client has as its `gateway_url`, after the address of the server. */
export const path = '/tensorzero/{entity}/{project}';
export const params = projectParams;
