import type { Heddle } from '../harness/heddle.ts';
import { project } from './fill.ts';

const runs = `query Runs($entity: String, $project: String) { project(name: $project, entityName: $entity) {
  runs(first: 100) { edges { node { id name displayName state config summaryMetrics historyLineCount history(samples: 1000) } } }
  artifactTypes { edges { node { name artifactCollections { edges { node { id name artifacts(first: 100) { edges { node {
    id digest state versionIndex size files(first: 10) { edges { node { name sizeBytes directUrl } } } } } } } } } } } } } }`;

/** Answers of wandb's protocol, and the files of artifacts behind signed addresses. */
export async function readRuns(heddle: Heddle): Promise<Record<string, unknown>> {
  const [entityName, name] = project.split('/');
  const { text } = await heddle.post('/graphql', { query: runs, variables: { entity: entityName, project: name } });
  const files: Record<string, string> = {};
  for (const [, url] of text.matchAll(/"directUrl":"([^"]+)"/g)) {
    const { pathname } = new URL(url!);
    files[pathname] = await (await fetch(url!)).text();
  }
  return { runs: text.replaceAll(/("directUrl":"[^"?]+)[^"]*/g, '$1'), files };
}
