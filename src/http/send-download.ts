import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { ApiError } from '../contract/errors.ts';
import type { ByteRange, Download } from '../util/download.ts';
import { readByteRange } from './byte-range.ts';
import { sendStream } from './send.ts';

/** Sends bytes, or the part of them that the request asks for. @throws ApiError 416 for a part beyond the end */
export async function sendDownload(reply: FastifyReply, download: Download): Promise<FastifyReply> {
  const { method, headers } = reply.request;
  const etag = download.tag === null ? null : `"${download.tag}"`;
  reply.type('application/octet-stream').header('accept-ranges', etag === null ? 'none' : 'bytes');
  if (etag !== null) reply.header('etag', etag);
  if (etag !== null && matches(headers['if-none-match'], etag)) {
    await download.size(); // it may have been deleted
    return reply.code(304).send();
  }
  if (method === 'HEAD') {
    reply.header('content-length', await download.size());
    return reply.send(Readable.from([]));
  }
  const range = etag === null ? undefined : headers.range;
  const isSame = headers['if-range'] === undefined || headers['if-range'] === etag;
  if (range !== undefined && isSame) {
    const sizeBytes = await download.size();
    const part = readByteRange(range, sizeBytes);
    if (part === 'none') throw beyondTheEnd(reply, range, sizeBytes);
    if (part !== 'whole') return sendPart(reply, part, sizeBytes, await download.part(part));
  }
  const { stream, sizeBytes } = await download.whole();
  return sendStream(reply.header('content-length', sizeBytes), stream);
}

function sendPart(reply: FastifyReply, { start, end }: ByteRange, sizeBytes: number, stream: Readable): FastifyReply {
  reply.code(206).header('content-range', `bytes ${start}-${end}/${sizeBytes}`);
  return sendStream(reply.header('content-length', end - start + 1), stream);
}

function beyondTheEnd(reply: FastifyReply, range: string, sizeBytes: number): ApiError {
  reply.header('content-range', `bytes */${sizeBytes}`);
  return new ApiError(416, `The file has ${sizeBytes} bytes, so there are none in the range ${range}.`);
}

/** Whether the client has these bytes already. */
function matches(header: string | undefined, etag: string): boolean {
  const tags = header?.split(',').map((each) => each.trim().replace(/^W\//, '')) ?? [];
  return tags.includes(etag) || header?.trim() === '*';
}
