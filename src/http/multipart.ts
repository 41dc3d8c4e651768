import fastifyMultipart from '@fastify/multipart';
import type { FastifyInstance } from 'fastify';

export async function multipart(app: FastifyInstance, { fileSizeMax }: { fileSizeMax: number }): Promise<void> {
  await app.register(fastifyMultipart, { limits: { fileSize: fileSizeMax } });
}
