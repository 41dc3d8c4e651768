import type { MessagePort } from 'node:worker_threads';
import { endpointAt } from '../../contract/endpoints.ts';
import { giveWay } from '../../util/give-way.ts';
import { serveRequests } from '../../util/workers/serve-requests.ts';
import { parseBody } from './parse-body.ts';
import { sendValue, type ValueInPieces } from './transfer.ts';

/** `endpoint` is its key. The pieces of the value go through a port of their own. */
export type ParseRequest = { endpoint: string; blocks: Uint8Array[]; pieces: MessagePort };

const handlers = {
  parse({ endpoint, blocks, pieces }: ParseRequest): ValueInPieces {
    const value = parseBody(endpointAt(endpoint), Buffer.concat(blocks).toString());
    return sendValue(value, pieces);
  },
};

export type BodyParsing = typeof handlers;

/** The thread that parses large bodies. It knows the contract and nothing else. */
giveWay();
serveRequests(handlers, { order: 'sequence' });
