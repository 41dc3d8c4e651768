/** What the wandb clients query to log in and find projects. Fields that heddle has no data for are null or empty. */
export const loginSchema = /* GraphQL */ `
  scalar JSON
  scalar DateTime

  type Query {
    viewer: User
    entity(name: String): Entity
    "Null where there is no such project."
    project(name: String, entityName: String): Project
    model(name: String, entityName: String): Project
    "The projects of an entity, the newest first."
    models(entityName: String, after: String, first: Int): ProjectConnection
    serverInfo: ServerInfo
    organization(name: String): Organization
  }

  type Mutation {
    "Makes a project, or returns the one of that name. A model is what the clients once called a project."
    upsertModel(input: UpsertModelInput!): UpsertModelPayload
  }

  type User {
    id: ID!
    name: String
    username: String
    email: String
    admin: Boolean
    flags: JSON
    "The name of the default entity."
    entity: String
    defaultEntity: Entity
    teams: EntityConnection
    apiKeys: ApiKeyConnection
    deletedAt: DateTime
  }

  type Entity {
    id: ID!
    name: String!
    readOnly: Boolean
    isTeam: Boolean
    "Null: heddle has no organizations."
    organization: Organization
    xxhashDigestsEnabled: Boolean
  }

  type Organization {
    name: String
    coreWeaveOrganizationId: String
    "Empty, of whichever kind."
    featureFlags(rampIDType: RampIDType): [FeatureFlag!]
  }

  enum RampIDType {
    OrgName
  }

  type FeatureFlag {
    rampKey: String
    isEnabled: Boolean
  }

  type EntityConnection {
    edges: [EntityEdge!]!
  }

  type EntityEdge {
    node: Entity
  }

  type ApiKey {
    id: ID!
    name: String
    description: String
  }

  type ApiKeyConnection {
    edges: [ApiKeyEdge!]!
  }

  type ApiKeyEdge {
    node: ApiKey
  }

  type Project {
    id: ID!
    internalId: ID!
    name: String!
    entityName: String!
    entity: Entity!
    description: String
    readOnly: Boolean
    createdAt: DateTime
    access: String
    views: JSON
    isBenchmark: Boolean
    repo: String
    dockerImage: String
    user: User
  }

  type ProjectConnection {
    edges: [ProjectEdge!]!
    pageInfo: PageInfo!
    totalCount: Int
  }

  type ProjectEdge {
    node: Project
    cursor: String
  }

  input UpsertModelInput {
    id: String
    name: String
    entityName: String
    description: String
    repo: String
    clientMutationId: String
  }

  type UpsertModelPayload {
    model: Project
    project: Project
    inserted: Boolean
    clientMutationId: String
  }

  type ServerInfo {
    frontendHost: String
    features: [ServerFeature!]!
    cliVersionInfo: JSON
    latestLocalVersionInfo: LatestLocalVersionInfo
  }

  type ServerFeature {
    name: String!
    isEnabled: Boolean!
  }

  type LatestLocalVersionInfo {
    outOfDate: Boolean
    latestVersionString: String
    versionOnThisInstanceString: String
  }
`;
