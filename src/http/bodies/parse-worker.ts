import type { MessagePort } from 'node:worker_threads';
import { bodyShapeAt } from '../../contract/endpoints.ts';
import { giveWay } from '../../util/give-way.ts';
import { garbageCollector } from '../../util/release-memory.ts';
import { serveRequests } from '../../util/workers/serve-requests.ts';
import { parseBody } from './parse-body.ts';
import { sendValue, type ValueInPieces } from './transfer.ts';

/** `shape` is the key of the shape. The pieces of the value are sent over a separate port. */
export type ParseRequest = { shape: string; blocks: Uint8Array[]; pieces: MessagePort };

const handlers = {
  parse({ shape, blocks, pieces }: ParseRequest): ValueInPieces {
    const value = parseBody(bodyShapeAt(shape), Buffer.concat(blocks).toString());
    return sendValue(value, pieces);
  },
};

export type BodyParsing = typeof handlers;

/** The thread that parses large bodies. It knows only the contract. */
giveWay();
serveRequests(handlers, { order: 'sequence', afterWork: garbageCollector() });
