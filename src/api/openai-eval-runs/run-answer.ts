import type { FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import type { OpenAIEvalRun } from '../../domain/openai-evals/run.ts';
import type { Owner } from '../../services/owner.ts';
import { JsonText } from '../../util/json/json-text.ts';

type Deps = Pick<Context, 'config' | 'services'>;
type From = { owner: Owner; raw: Pick<FastifyRequest, 'protocol' | 'host'> };

/** A run with the rows that came with its request. */
export async function runAnswer({ config, services }: Deps, run: OpenAIEvalRun, { owner, raw }: From) {
  const { project } = owner;
  const content = await services.openaiEvals.runs.content(run, owner);
  const address = config.publicUrl.replace(/\/+$/, '') || `${raw.protocol}://${raw.host}`;
  const { dataSource } = run;
  return {
    object: 'eval.run' as const,
    id: run.id,
    eval_id: run.evalId,
    name: run.name,
    status: run.status,
    model: run.model,
    data_source:
      content === null
        ? dataSource
        : { ...dataSource, source: { ...dataSource.source, content: new JsonText(`[${content.join(',')}]`) } },
    metadata: run.metadata,
    error: run.error,
    report_url: `${address}/${project.name}/r/call/${run.callId}`,
    ...run.results,
    created_at: Math.floor(run.createdAt.getTime() / 1000),
  };
}

/** The characters of the rows of a run. */
export function contentLength({ data_source: { source } }: Awaited<ReturnType<typeof runAnswer>>): number {
  return 'content' in source && source.content instanceof JsonText ? source.content.text.length : 0;
}
