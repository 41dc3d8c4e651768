import type { z } from 'zod';
import { agentDashboard } from './agent-dashboard.ts';
import { alertSpec } from './alert-spec.ts';
import { annotationSpec } from './annotation-spec.ts';
import { leaderboard } from './leaderboard.ts';
import { llmStructuredCompletionModel } from './llm-structured-model.ts';
import { provider, providerModel } from './provider.ts';
import { comparisonView, savedView } from './views.ts';

/** The classes for which a client may request validation and completion of a value. */
export const builtinClasses: Readonly<Record<string, z.ZodType>> = {
  AgentDashboard: agentDashboard,
  AlertSpec: alertSpec,
  AnnotationSpec: annotationSpec,
  ComparisonView: comparisonView,
  LLMStructuredCompletionModel: llmStructuredCompletionModel,
  Leaderboard: leaderboard,
  Provider: provider,
  ProviderModel: providerModel,
  SavedView: savedView,
};
