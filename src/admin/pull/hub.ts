import { HubApiError, listFiles, modelInfo } from '@huggingface/hub';
import { ApiError, badRequest, notFound, toApiError } from '../../contract/errors.ts';

/** A file of a repository, with the digest that its bytes must have. */
export type HubFile = { path: string; sizeBytes: number; digest: { kind: 'sha256' | 'git'; hex: string } };

/** The Hugging Face hub, or another server that speaks like it. */
export type Hub = {
  /** A repository at a branch, tag or commit: the commit itself, and its files. */
  describe(repository: string, revision: string): Promise<{ revision: string; files: HubFile[] }>;
  urlOf(repository: string, revision: string, path: string): string;
  /** Sends the token along, to the hub alone. */
  fetch: typeof fetch;
};

export function openHub({ endpoint, token }: { endpoint: string; token: string }, signal: AbortSignal): Hub {
  const origin = checkEndpoint(endpoint);
  const hubUrl = endpoint.replace(/\/+$/, '');
  const hubFetch: typeof fetch = (input, init = {}) => {
    const headers = new Headers(init.headers);
    if (token && new URL(input instanceof Request ? input.url : input).origin === origin) {
      headers.set('authorization', `Bearer ${token}`);
    }
    return fetch(input, { ...init, headers, signal: init.signal ?? signal });
  };
  return {
    fetch: hubFetch,
    urlOf: (repository, revision, path) =>
      `${hubUrl}/${repository}/resolve/${revision}/${path.split('/').map(encodeURIComponent).join('/')}`,
    async describe(repository, wanted) {
      try {
        const about = { hubUrl, fetch: hubFetch };
        const info = await modelInfo({ ...about, name: repository, revision: wanted, additionalFields: ['sha'] });
        const revision = String(info.sha);
        const files: HubFile[] = [];
        for await (const entry of listFiles({ ...about, repo: repository, revision, recursive: true })) {
          if (entry.type === 'file') files.push(toHubFile(entry));
        }
        return { revision, files };
      } catch (error) {
        throw explain(error, repository, hubUrl, token !== '');
      }
    },
  };
}

function checkEndpoint(endpoint: string): string {
  try {
    return new URL(endpoint).origin;
  } catch {
    throw badRequest(`HF_ENDPOINT must be an address such as https://huggingface.co (found "${endpoint}").`);
  }
}

function toHubFile({
  path,
  size,
  oid,
  lfs,
}: {
  path: string;
  size: number;
  oid?: string;
  lfs?: { oid: string };
}): HubFile {
  const hex = lfs?.oid.replace(/^sha256:/, '');
  return { path, sizeBytes: size, digest: hex ? { kind: 'sha256', hex } : { kind: 'git', hex: oid ?? '' } };
}

function explain(error: unknown, repository: string, hubUrl: string, hasToken: boolean): Error {
  const known = toApiError(error);
  if (known !== null) return known;
  if (!(error instanceof HubApiError)) return unreachable(hubUrl, error);
  return refusal(error.statusCode, repository, hubUrl, hasToken);
}

/** Explains an unsuccessful response of the hub to a user who pulls a model. */
export function refusal(status: number, repository: string, hubUrl: string, hasToken: boolean): ApiError {
  const { host } = new URL(hubUrl);
  if (status === 403 || (status === 401 && hasToken)) {
    return new ApiError(
      403,
      `${host} does not give ${repository} to this HF_TOKEN. Accept its conditions on its page, or use another token.`,
    );
  }
  if (status === 401) {
    return new ApiError(
      401,
      `${host} has no public ${repository}. Check the name; a private or gated one needs HF_TOKEN.`,
    );
  }
  if (status === 404) return notFound(`${host} has no ${repository}, or not at that revision.`);
  return new ApiError(502, `${host} answered ${status} when asked for ${repository}. Try again later.`);
}

function unreachable(hubUrl: string, error: unknown): ApiError {
  const { message, cause } = error as Error;
  const why = cause instanceof Error ? cause.message || (cause as NodeJS.ErrnoException).code : message;
  return new ApiError(
    502,
    `${new URL(hubUrl).host} cannot be reached: ${why}. Run the command again to go on.`,
    {},
    { cause: error },
  );
}
