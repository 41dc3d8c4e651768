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
 * Who is asked first, for each thing a call is made of. Weave's table leads, so that a span it understands comes out as
 * it does there; the generic words come last. In between, those who describe one request go before those who wrap it.
 *
 * | | asked for | because |
 * | --- | --- | --- |
 * | 1 | `weave` | what Weave's server knows, in its order |
 * | 2 | SDKs: `langfuse`, `langsmith`, `mlflow`, `vercelAi`, `pydanticAi`, `googleAdk`, `laminar` | written by hand around a step |
 * | 3 | instrumentations: `openInference`, `genAi`, `openLlmetry`, `liteLlm` | written for every request, or meant for all |
 * | 4 | `generic` | `input`, `output` are also where others' keys begin |
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
