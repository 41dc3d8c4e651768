import { type DocumentNode, GraphQLError, Kind, visit } from 'graphql';

/** What clients ask for that heddle does not have, by the names of fields. */
const features: Record<string, string[]> = {
  'runs that a client adds to the queue of a sweep': ['enqueueSweepRun'],
  'the list of agents of a sweep': ['agent', 'agents'],
  'controllers of sweeps that run elsewhere': ['controllerRunName'],
  'launch queues': [
    'createRunQueue',
    'upsertRunQueue',
    'deleteRunQueues',
    'pushToRunQueue',
    'pushToRunQueueByName',
    'popFromRunQueue',
    'ackRunQueueItem',
    'failRunQueueItem',
    'deleteFromRunQueue',
    'createDefaultResourceConfig',
    'defaultResourceConfig',
    'createLaunchAgent',
    'updateLaunchAgent',
    'updateRunQueueItemWarning',
    'launchAgent',
    'runQueue',
    'runQueues',
    'runInfo',
  ],
  'links of artifacts to registries and portfolios': [
    'linkArtifact',
    'unlinkArtifact',
    'deleteArtifactPortfolio',
    'updateArtifactPortfolio',
  ],
  registries: [
    'orgEntity',
    'advancedRegistryFeatures',
    'allowAllArtifactTypesInRegistry',
    'deleteModel',
    'renameProject',
    'createProjectMembers',
    'deleteProjectMembers',
    'updateProjectMember',
    'updateProjectTeamMember',
  ],
  'changes to a collection of artifacts': [
    'updateArtifactSequence',
    'deleteArtifactSequence',
    'moveArtifactSequence',
    'createArtifactCollectionTagAssignments',
    'deleteArtifactCollectionTagAssignments',
  ],
  alerts: ['notifyScriptableRunAlert'],
  reports: ['allViews', 'upsertView', 'deleteView'],
  'custom charts': ['createCustomChart'],
  automations: [
    'triggers',
    'createFilterTrigger',
    'updateFilterTrigger',
    'deleteTrigger',
    'integrations',
    'createGenericWebhookIntegration',
  ],
  'multipart uploads': ['completeMultipartUploadArtifact'],
  'changes to the state of a run from outside': ['updateRunState', 'stopRun'],
  'teams and users in this API (use `heddle users`)': [
    'createTeam',
    'createInvite',
    'deleteInvite',
    'createServiceAccount',
    'createUser',
    'users',
    'members',
    'available',
    'deleteApiKey',
    'generateApiKey',
  ],
};

const featureOf = new Map(
  Object.entries(features).flatMap(([feature, fields]) => fields.map((field) => [field, feature])),
);

/** One error that says what heddle does not support, in place of those for each unknown field and type of the operation. */
export function clearErrors(document: DocumentNode, errors: readonly GraphQLError[]): readonly GraphQLError[] {
  const unknown = new Set(errors.flatMap(({ message }) => /^Cannot query field "(\w+)"/.exec(message)?.[1] ?? []));
  let found: GraphQLError | undefined;
  visit(document, {
    [Kind.FIELD]: (node) => {
      const feature = unknown.has(node.name.value) ? featureOf.get(node.name.value) : undefined;
      if (feature)
        found ??= new GraphQLError(`heddle does not support ${feature} (${node.name.value}).`, {
          nodes: node,
          extensions: { code: 'NOT_SUPPORTED' },
        });
    },
  });
  return found ? [found] : errors;
}
