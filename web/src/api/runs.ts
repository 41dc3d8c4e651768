import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { numberOf, parseJson, writeJson } from '../format/json.ts';
import type { ProjectAddress } from '../urls.ts';
import { askGraphql } from './client.ts';

export type RunSummary = {
  name: string;
  displayName: string | null;
  state: string;
  createdAt: string;
  historyLineCount: number;
  tags: string[];
  group: string | null;
  jobType: string | null;
  sweepName: string | null;
  user: { username: string } | null;
};

export type RunFile = { name: string; sizeBytes: number; url: string };
export type RunArtifact = { id: string; name: string; type: string; size: number };

export type Run = RunSummary & {
  notes: string | null;
  host: string | null;
  config: unknown;
  summary: unknown;
  output: string[];
  files: RunFile[];
  logged: RunArtifact[];
  used: RunArtifact[];
  columns: Column[];
};

/** What a run logs under a name: numbers, or values of a kind such as `image-file`. */
export type Column = { name: string; kind: string; count: number };

/** A value and the step that logged it. */
export type Logged = { step: number; value: unknown };

type Connection<Node> = { edges: { node: Node }[] };

const summaryFields =
  'name displayName state createdAt historyLineCount tags group jobType sweepName user { username }';

/** The runs of a project, the newest first. */
export function runsQuery(project: ProjectAddress, sweep: string) {
  return infiniteQueryOptions({
    queryKey: ['runs', `${project.entity}/${project.project}`, 'list', sweep],
    queryFn: async ({ pageParam, signal }) => {
      const filters = sweep === '' ? '{}' : `{"sweep": ${writeJson(sweep)}}`;
      const { project: found } = await askGraphql<{ project: { runs: Page } | null }>(
        `query RunsOfPage($entity: String!, $project: String!, $filters: JSONString, $after: String) {
          project(entityName: $entity, name: $project) {
            runs(filters: $filters, first: 100, after: $after, order: "-created_at") {
              edges { node { ${summaryFields} } }
              pageInfo { endCursor hasNextPage }
            }
          }
        }`,
        { ...project, filters, after: pageParam },
        { signal },
      );
      return found?.runs ?? noRuns;
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }: Page) => (pageInfo.hasNextPage ? pageInfo.endCursor : undefined),
    refetchInterval: 10_000,
  });
}

type Page = Connection<RunSummary> & { pageInfo: { endCursor: string | null; hasNextPage: boolean } };
const noRuns: Page = { edges: [], pageInfo: { endCursor: null, hasNextPage: false } };

/** A run with everything but its values; null if it does not exist. */
export function runQuery(project: ProjectAddress, runId: string) {
  return queryOptions({
    queryKey: [...keyOf(project, runId), 'run'],
    queryFn: async ({ signal }) => {
      const artifact = 'edges { node { id size versionIndex artifactSequence { name } artifactType { name } } }';
      const { project: found } = await askGraphql<{ project: { run: SentRun | null } | null }>(
        `query RunOfPage($entity: String!, $project: String!, $run: String!) {
          project(entityName: $entity, name: $project) {
            run(name: $run) {
              ${summaryFields} notes host config summaryMetrics historyKeys
              logLines(last: 1000) { edges { node { line } } }
              files(first: 1000) { edges { node { name sizeBytes servedUrl } } }
              outputArtifacts(first: 100) { ${artifact} }
              inputArtifacts(first: 100) { ${artifact} }
            }
          }
        }`,
        { ...project, run: runId },
        { signal },
      );
      return found?.run ? readRun(found.run) : null;
    },
    refetchInterval: ({ state: { data } }) => (data?.state === 'running' ? 5000 : false),
  });
}

type SentFile = { name: string; sizeBytes: number; servedUrl: string };
type SentArtifact = { id: string; size: number; versionIndex: number | null } & {
  artifactSequence: { name: string };
  artifactType: { name: string };
};
type SentRun = RunSummary & {
  notes: string | null;
  host: string | null;
  config: string | null;
  summaryMetrics: string | null;
  historyKeys: { keys?: Record<string, { typeCounts: { type: string; count: unknown }[] }> } | null;
  logLines: Connection<{ line: string }>;
  files: Connection<SentFile>;
  outputArtifacts: Connection<SentArtifact>;
  inputArtifacts: Connection<SentArtifact>;
};

function readRun({ config, summaryMetrics, historyKeys, logLines, files, ...sent }: SentRun): Run {
  const { outputArtifacts, inputArtifacts, ...run } = sent;
  return {
    ...run,
    config: valuesOf(readText(config)),
    summary: readText(summaryMetrics),
    output: logLines.edges.map(({ node }) => node.line),
    files: files.edges.map(({ node }) => fileOf(node)),
    logged: outputArtifacts.edges.map(({ node }) => artifactOf(node)),
    used: inputArtifacts.edges.map(({ node }) => artifactOf(node)),
    columns: Object.entries(historyKeys?.keys ?? {})
      .filter(([name]) => !name.startsWith('_'))
      .map(([name, { typeCounts }]) => ({
        name,
        kind: typeCounts.length === 1 ? typeCounts[0]!.type : 'mixed',
        count: typeCounts.reduce((sum, { count }) => sum + (numberOf(count) ?? 0), 0),
      }))
      .sort((one, other) => (one.name < other.name ? -1 : 1)),
  };
}

/** Samples of the values of each column. */
export function valuesQuery(project: ProjectAddress, runId: string, columns: Column[], samples: number) {
  const names = columns.map(({ name }) => name);
  const total = columns.reduce((sum, { count }) => sum + count, 0);
  return queryOptions({
    queryKey: [...keyOf(project, runId), 'values', names, total],
    enabled: names.length > 0,
    queryFn: async ({ signal }) => {
      const specs = names.map((name) => `{"keys": ["_step", ${writeJson(name)}], "samples": ${samples}}`);
      const { project: found } = await askGraphql<{
        project: { run: { sampledHistory: Record<string, unknown>[][] } };
      }>(
        `query ValuesOfPage($entity: String!, $project: String!, $run: String!, $specs: [JSONString!]!) {
          project(entityName: $entity, name: $project) { run(name: $run) { sampledHistory(specs: $specs) } }
        }`,
        { ...project, run: runId, specs },
        { signal },
      );
      return found.run.sampledHistory.map((rows, index) =>
        rows.map((row): Logged => ({ step: numberOf(row._step) ?? 0, value: row[names[index]!] })),
      );
    },
    placeholderData: (before) => before,
  });
}

/** The files of a run by their names, as far as they are there. */
export function filesQuery(project: ProjectAddress, runId: string, names: string[]) {
  return queryOptions({
    queryKey: [...keyOf(project, runId), 'files', names],
    queryFn: async ({ signal }) => {
      const { project: found } = await askGraphql<{ project: { run: { files: Connection<SentFile> } } }>(
        `query FilesOfPage($entity: String!, $project: String!, $run: String!, $names: [String]) {
          project(entityName: $entity, name: $project) {
            run(name: $run) { files(names: $names, first: 1000) { edges { node { name sizeBytes servedUrl } } } }
          }
        }`,
        { ...project, run: runId, names },
        { signal },
      );
      return new Map(found.run.files.edges.map(({ node }) => [node.name, fileOf(node)]));
    },
    staleTime: signedMs,
  });
}

/** The files of an artifact that a client names by an id of its own, as tables do. */
export function artifactFilesQuery(clientId: string, names: string[]) {
  return queryOptions({
    queryKey: ['artifact-files', clientId, names],
    queryFn: async ({ signal }) => {
      const { clientIDMapping } = await askGraphql<{ clientIDMapping: { serverID: string } | null }>(
        'query ArtifactOfClient($id: ID!) { clientIDMapping(clientID: $id) { serverID } }',
        { id: clientId },
        { signal },
      );
      if (clientIDMapping === null) return new Map<string, RunFile>();
      const { artifact } = await askGraphql<{ artifact: { files: Connection<SentFile> } | null }>(
        `query FilesOfArtifact($id: ID!, $names: [String!]) {
          artifact(id: $id) { files(names: $names, first: 1000) { edges { node { name sizeBytes servedUrl } } } }
        }`,
        { id: clientIDMapping.serverID, names },
        { signal },
      );
      return new Map((artifact?.files.edges ?? []).map(({ node }) => [node.name, fileOf(node)]));
    },
    staleTime: signedMs,
  });
}

/** The content of a file of JSON, such as a table. */
export function jsonFileQuery({ name, url }: RunFile) {
  return queryOptions({
    queryKey: ['run-file', name, url],
    queryFn: async ({ signal }) => parseJson(await (await fetch(url, { signal })).text()),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Addresses of files are valid for an hour, unless the server is told otherwise. */
const signedMs = 10 * 60_000;

function keyOf({ entity, project }: ProjectAddress, runId: string): string[] {
  return ['runs', `${entity}/${project}`, runId];
}

/** The server gives the whole address, which may not be the one that this page has. */
function fileOf({ name, sizeBytes, servedUrl }: SentFile): RunFile {
  const { pathname, search } = new URL(servedUrl);
  return { name, sizeBytes: numberOf(sizeBytes) ?? 0, url: pathname + search };
}

function artifactOf({ id, size, versionIndex, artifactSequence, artifactType }: SentArtifact): RunArtifact {
  const version = versionIndex === null ? '' : `:v${versionIndex}`;
  return { id, name: artifactSequence.name + version, type: artifactType.name, size: numberOf(size) ?? 0 };
}

/** Settings are stored as `{"lr": {"value": 0.1}}`, beside those of the client itself. */
function valuesOf(config: unknown): unknown {
  if (typeof config !== 'object' || config === null) return config;
  const own = Object.entries(config).filter(([name]) => name !== '_wandb');
  return Object.fromEntries(own.map(([name, setting]) => [name, (setting as { value?: unknown })?.value ?? setting]));
}

function readText(text: string | null): unknown {
  try {
    return parseJson(text ?? '{}');
  } catch {
    return text; // NaN, which is not JSON
  }
}
