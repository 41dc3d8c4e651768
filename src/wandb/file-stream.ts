import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { badRequest, notFound } from '../contract/errors.ts';
import type { NewLines, RunReport } from '../services/runs/runs.ts';
import { authenticate, type WandbParts } from './parts.ts';

/** Checked as one value: an issue for each of a million lines would not fit in memory. */
const strings = z.custom<string[]>(
  (value) => Array.isArray(value) && value.every((each) => typeof each === 'string'),
  'expected an array of strings',
);
const lines = z.object({ offset: z.number().int().nonnegative().default(0), content: strings.default([]) });

/** A client's report about a run, sent about every 15 seconds; an empty one is a heartbeat. */
const reportSchema = z.object({
  files: z
    .object({
      'wandb-history.jsonl': lines.nullish(),
      'wandb-events.jsonl': lines.nullish(),
      'wandb-summary.json': lines.nullish(),
      'output.log': lines.nullish(),
    })
    .nullish(),
  preempting: z.boolean().nullish(),
  complete: z.boolean().nullish(),
  exitcode: z.number().nullish(),
});

type Params = { entity: string; project: string; run: string };

/** Serves the stream of metrics and output of a run. */
export async function fileStreamPlugin(app: FastifyInstance, parts: WandbParts): Promise<void> {
  const { identity, services, readText } = parts;
  app.post('/files/:entity/:project/:run/file_stream', async (request, reply) => {
    const caller = await authenticate(parts, request);
    const { entity, project, run: name } = request.params as Params;
    const projectId = await identity.projectForRead(caller, `${entity}/${project}`);
    const body = await readText(request, reply, { ...bodyLimit, caller });
    const report = readReport(body);
    const run = await services.runs.find(projectId, name);
    if (!run || !(await services.runs.report(run, report))) throw notFound(`The project has no run ${name}.`);
    return {};
  });
}

/** Clients send at most about 10 MB at once. */
const bodyLimit = { bytesMax: 32 * 1024 * 1024, setting: 'of a file stream request' };

/** @throws ApiError 400 */
function readReport(body: string): RunReport {
  const parsed = reportSchema.safeParse(parseOrNull(body));
  if (!parsed.success) throw badRequest(`The report of the run is invalid: ${z.prettifyError(parsed.error)}`);
  const { files, complete, exitcode, preempting } = parsed.data;
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

function linesOf(stream: NewLines['stream'], sent: z.output<typeof lines> | null | undefined): NewLines[] {
  return sent ? [{ stream, firstLine: sent.offset, lines: sent.content }] : [];
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
