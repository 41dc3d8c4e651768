import { releaseMemoryWhenIdle } from '../../util/release-memory.ts';
import { yieldToParent } from '../../util/workers/yield-to-parent.ts';

/** The process of one model. */
yieldToParent();
const { serveHost } = await import('./serve-host.ts');
serveHost();
releaseMemoryWhenIdle();
