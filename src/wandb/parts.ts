import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { BodyShape } from '../contract/endpoint.ts';
import type { Caller, Identity } from '../identity/identity.ts';
import type { Download } from '../util/download.ts';
import type { WandbServices } from './resolvers/context.ts';

type BodyLimit = { bytesMax: number; setting: string };

/** What the requests of W&B clients are answered with. */
export type WandbParts = {
  identity: Identity;
  /** Who sends a request: a client, or the web page. @throws ApiError 401 */
  authenticate(request: FastifyRequest): Promise<Caller>;
  services: WandbServices;
  /** The size that an uploaded file may have. */
  fileLimit: BodyLimit;
  /** Reads the JSON body of a request, which counts as its caller's until it is answered. @throws ApiError 400 */
  readJson<Body extends z.ZodType>(
    request: FastifyRequest,
    reply: FastifyReply,
    body: BodyLimit & { caller: Caller; shape: BodyShape & { body: Body } },
  ): Promise<z.output<Body>>;
  /** The body of a request piece by piece. */
  bodyPieces(request: FastifyRequest, limit: BodyLimit): AsyncIterable<Uint8Array>;
  /** Sends bytes, or the part of them that the request asks for. @throws ApiError 416 for a part beyond the end */
  sendDownload(reply: FastifyReply, download: Download): Promise<FastifyReply>;
};
