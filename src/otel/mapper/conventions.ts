import type { Convention } from './convention.ts';
import { genAi } from './conventions/gen-ai.ts';
import { generic } from './conventions/generic.ts';
import { googleAdk } from './conventions/google-adk.ts';
import { laminar } from './conventions/laminar.ts';
import { langfuse } from './conventions/langfuse.ts';
import { langsmith } from './conventions/langsmith.ts';
import { liteLlm } from './conventions/litellm.ts';
import { mlflow } from './conventions/mlflow.ts';
import { openInference } from './conventions/openinference.ts';
import { openLlmetry } from './conventions/openllmetry.ts';
import { pydanticAi } from './conventions/pydantic-ai.ts';
import { vercelAi } from './conventions/vercel-ai.ts';
import { weave } from './conventions/weave.ts';

/**
 * The order of the conventions, for each field of a call. Weave's table comes first, so that spans it understands
 * become the same calls as in Weave; generic names come last. In between, conventions that describe one request precede
 * those that wrap it.
 *
 * | | Convention | Reason |
 * | --- | --- | --- |
 * | 1 | `weave` | what Weave's server knows, in its order |
 * | 2 | SDKs: `langfuse`, `langsmith`, `mlflow`, `vercelAi`, `pydanticAi`, `googleAdk`, `laminar` | written by hand around a step |
 * | 3 | instrumentations: `openInference`, `genAi`, `openLlmetry`, `liteLlm` | written for every request, or meant for all |
 * | 4 | `generic` | `input` and `output` are also prefixes of other conventions' keys |
 */
export const conventions = {
  weave,
  langfuse,
  langsmith,
  mlflow,
  vercelAi,
  pydanticAi,
  googleAdk,
  laminar,
  openInference,
  genAi,
  openLlmetry,
  liteLlm,
  generic,
} satisfies Record<string, Convention> as Record<string, Convention>;
