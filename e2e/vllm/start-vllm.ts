import { vllmEnvironment } from './environment.ts';
import { startVllm } from './vllm-server.ts';

type Project = { provide(key: 'vllm', value: string | null): void };

/**
 * Vitest's global set-up of the tests with a real vLLM server: one for all of their files. It starts while other tests run. A
 * server that HEDDLE_TEST_VLLM_URL names is used instead.
 */
export default async function startForProject(project: Project): Promise<(() => Promise<void>) | undefined> {
  const named = process.env.HEDDLE_TEST_VLLM_URL;
  if (named || !vllmEnvironment.isReady()) {
    project.provide('vllm', named ?? null);
    return undefined;
  }
  const server = await startVllm();
  project.provide('vllm', server.url);
  return () => server.stop();
}

declare module 'vitest' {
  interface ProvidedContext {
    vllm: string | null;
  }
}
