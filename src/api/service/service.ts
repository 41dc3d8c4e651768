import type { Context } from '../../context.ts';
import { endpoints } from '../../contract/endpoints.ts';
import { ApiError } from '../../contract/errors.ts';
import type { health as healthEndpoint } from '../../contract/service/health.ts';
import type { openapiJson } from '../../contract/service/openapi.ts';
import type { projectsInfo } from '../../contract/service/projects-info.ts';
import type { serverInfo } from '../../contract/service/server-info.ts';
import type { readVersion } from '../../contract/service/version.ts';
import type { Handler } from '../../http/bind.ts';
import { openapiDocument } from '../../http/openapi.ts';
import { traceServerVersion, version } from '../../util/version.ts';

/** Longest time that a readiness answer waits for the stores. */
const readyTimeoutMs = 2000;

export function showHealth({ health }: Pick<Context, 'health'>): Handler<typeof healthEndpoint> {
  return async ({ query }) => {
    const problems = query.ready === undefined ? health.problems() : await health.ask(readyTimeoutMs);
    if (problems.length > 0) throw new ApiError(503, problems.join('; '), { status: 'failing' });
    return { status: 'ok' };
  };
}

export function showVersion(): Handler<typeof readVersion> {
  return async () => ({ version });
}

/** No client is too old: a minimum above its version would make the Python SDK stop tracing without an error. */
export function showServerInfo(): Handler<typeof serverInfo> {
  return async () => ({ min_required_weave_python_version: '0.0.0', trace_server_version: traceServerVersion });
}

export function showProjects({ identity }: Context): Handler<typeof projectsInfo> {
  return async ({ body, caller }) => {
    const names = [...new Set(body.project_ids)];
    const ids = await Promise.all(names.map((name) => identity.readableProject(caller, name)));
    return names.flatMap((name, index) =>
      ids[index] ? [{ external_project_id: name, internal_project_id: ids[index] }] : [],
    );
  };
}

/** The document is made once, when it is first asked for. */
export function showOpenapi(): Handler<typeof openapiJson> {
  let document: Record<string, unknown> | undefined;
  return async () => {
    document ??= openapiDocument(endpoints);
    return document;
  };
}
