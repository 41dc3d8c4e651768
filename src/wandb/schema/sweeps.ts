/** Sweeps, as the wandb clients create them and their agents ask for runs. */
export const sweepsSchema = /* GraphQL */ `
  extend type Project {
    "Null if the sweep does not exist."
    sweep(sweepName: String): Sweep
    "The newest first."
    sweeps(after: String, first: Int): SweepConnection
    totalSweeps: Int
  }

  extend type Mutation {
    "Adds a sweep, or changes the one of this id."
    upsertSweep(input: UpsertSweepInput!): UpsertSweepPayload
    createAgent(input: CreateAgentInput!): CreateAgentPayload
    "Says which runs the agent has, and asks what to do."
    agentHeartbeat(input: AgentHeartbeatInput!): AgentHeartbeatPayload
  }

  type Sweep {
    id: ID!
    name: String!
    project: Project
    displayName: String
    description: String
    method: String
    state: String
    "YAML, as it was sent."
    config: String
    createdAt: DateTime
    updatedAt: DateTime
    heartbeatAt: DateTime
    runCount: Int
    "Null for a sweep without a limit."
    runCountExpected: Int
    "The best value of the metric that the config names."
    bestLoss: Float
    runs(after: String, first: Int): RunConnection
    earlyStopJobRunning: Boolean
    controller: JSONString
    scheduler: JSONString
  }

  type SweepConnection {
    edges: [SweepEdge!]!
    pageInfo: PageInfo!
  }

  type SweepEdge {
    node: Sweep
    cursor: String
  }

  input UpsertSweepInput {
    id: ID
    entityName: String
    projectName: String
    config: String
    description: String
    displayName: String
    state: String
    controller: JSONString
    scheduler: JSONString
    launchScheduler: JSONString
    templateVariableValues: JSONString
    priorRunsFilters: JSONString
    clientMutationId: String
  }

  type UpsertSweepPayload {
    sweep: Sweep
    configValidationWarnings: [String!]!
    clientMutationId: String
  }

  input CreateAgentInput {
    host: String!
    entityName: String
    projectName: String
    sweep: String!
    clientMutationId: String
  }

  type CreateAgentPayload {
    agent: Agent
    clientMutationId: String
  }

  input AgentHeartbeatInput {
    id: ID!
    metrics: JSONString
    runState: JSONString
    clientMutationId: String
  }

  type AgentHeartbeatPayload {
    agent: Agent
    "A list of commands."
    commands: JSONString
    clientMutationId: String
  }

  type Agent {
    id: ID!
  }
`;
