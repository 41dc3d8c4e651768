import type { FastifyInstance, FastifyRequest } from 'fastify';
import { notFound } from '../contract/errors.ts';
import { type SignedRequest, signedPath } from '../services/signed-blobs.ts';
import type { WandbParts } from './parts.ts';

type FileParams = { entity: string; project: string; collection: string; birthId: string; md5: string };

/** Serves uploads and downloads at signed addresses, which need no API key, and downloads of single files with one. */
export async function storagePlugin(app: FastifyInstance, parts: WandbParts): Promise<void> {
  const { identity, authenticate, services, fileLimit, bodyPieces, sendDownload } = parts;
  const { signedBlobs, artifacts } = services;

  app.get(`${signedPath}*`, async (request, reply) => {
    return sendDownload(reply, signedBlobs.read(askedFor(request)));
  });

  app.put(`${signedPath}*`, {
    onRequest: async (request) => signedBlobs.check('PUT', askedFor(request)),
    handler: async (request) => {
      const announced = Number(request.headers['content-length']) || undefined;
      await signedBlobs.write(askedFor(request), bodyPieces(request, fileLimit), announced);
      return {};
    },
  });

  // Clients ask here for a file whose signed address they do not know or that has expired.
  for (const between of ['', ':sequenceId/']) {
    app.get(
      `/artifactsV2/:region/:entity/:project/:collection/${between}:birthId/:md5/:name`,
      async (request, reply) => {
        const caller = await authenticate(request);
        const { entity, project, collection, md5 } = request.params as FileParams;
        const projectId = await identity.projectForRead(caller, `${entity}/${project}`);
        const key = await artifacts.keyOfFile({ projectId, name: collection, md5 });
        if (key === null) throw notFound(`The artifact ${collection} has no file with the MD5 ${md5}.`);
        const found = Buffer.from(md5, 'hex').toString('hex');
        return reply.redirect(await signedBlobs.url('', { method: 'GET', key, md5: found }));
      },
    );
  }
}

function askedFor({ params, query }: FastifyRequest): SignedRequest {
  return { key: (params as { '*': string })['*'], query: query as Record<string, unknown> };
}
