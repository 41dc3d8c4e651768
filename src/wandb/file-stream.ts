import type { FastifyInstance, FastifyRequest } from 'fastify';
import { badRequest, notFound } from '../contract/errors.ts';
import { type SentLines, type SentReport, wandbBodies } from '../contract/wandb/bodies.ts';
import type { NewLines, RunReport } from '../services/runs/runs.ts';
import type { WandbParts } from './parts.ts';

type Params = { entity: string; project: string; run: string };

/** Serves the stream of metrics and output of a run. */
export async function fileStreamPlugin(app: FastifyInstance, parts: WandbParts): Promise<void> {
  const { identity, authenticate, services, readJson } = parts;
  app.post('/files/:entity/:project/:run/file_stream', async (request, reply) => {
    const caller = await authenticate(request);
    const { entity, project, run: name } = request.params as Params;
    const projectId = await identity.projectForRead(caller, `${entity}/${project}`);
    const sent = await readJson(request, reply, { ...bodyLimit, caller, shape: wandbBodies.report });
    const report = { ...readReport(sent), clientId: clientIdOf(request) };
    const run = await services.runs.find(projectId, name);
    if (!run || !(await services.runs.report(run, report))) throw notFound(`The project has no run ${name}.`);
    return {};
  });
}

/** Processes that share a run send an id each; the one process of an ordinary run sends none. @throws ApiError 400 */
function clientIdOf({ headers }: FastifyRequest): string {
  const id = headers['x-wandb-async-client-id'] ?? '';
  if (typeof id === 'string' && id.length <= 128) return id;
  throw badRequest('The header X-Wandb-Async-Client-Id must have at most 128 characters.');
}

/** Clients send at most about 10 MB at once. */
const bodyLimit = { bytesMax: 32 * 1024 * 1024, setting: 'of a file stream request' };

function readReport({ files, complete, exitcode, preempting }: SentReport): RunReport {
  const summary = files?.['wandb-summary.json']?.content.at(-1);
  return {
    lines: [
      linesOf('history', files?.['wandb-history.jsonl']),
      linesOf('events', files?.['wandb-events.jsonl']),
      linesOf('log', files?.['output.log']),
    ].flat(),
    ...(summary === undefined ? {} : { summary }),
    ...(preempting ? { state: 'preempting' } : {}),
    ...(complete ? { state: exitcode ? 'failed' : 'finished' } : {}),
  };
}

function linesOf(stream: NewLines['stream'], sent: SentLines | null | undefined): NewLines[] {
  return sent ? [{ stream, firstLine: sent.offset, lines: sent.content }] : [];
}
