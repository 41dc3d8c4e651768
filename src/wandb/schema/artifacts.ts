/** Artifacts: collections of versions, which the clients also call sequences. */
export const artifactsSchema = /* GraphQL */ `
  extend type Query {
    "Null if the artifact does not exist."
    artifact(id: ID!): Artifact
    artifactCollection(id: ID!): ArtifactCollection
    clientIDMapping(clientID: ID!): ClientIDMapping
  }

  extend type Project {
    artifact(name: String!, enableTracking: Boolean): Artifact
    artifactCollectionMembership(name: String!): ArtifactCollectionMembership
    artifactCollection(name: String!): ArtifactCollection
    artifactCollections(after: String, first: Int, filters: JSONString, order: String): ArtifactCollectionConnection
    artifactType(name: String!): ArtifactType
    artifactTypes(after: String, first: Int): ArtifactTypeConnection
  }

  extend type Mutation {
    createArtifact(input: CreateArtifactInput!): CreateArtifactPayload
    createArtifactManifest(input: CreateArtifactManifestInput!): CreateArtifactManifestPayload
    updateArtifactManifest(input: UpdateArtifactManifestInput!): CreateArtifactManifestPayload
    createArtifactFiles(input: CreateArtifactFilesInput!): CreateArtifactFilesPayload
    commitArtifact(input: CommitArtifactInput!): ArtifactPayload
    useArtifact(input: UseArtifactInput!): ArtifactPayload
    updateArtifact(input: UpdateArtifactInput!): ArtifactPayload
    deleteArtifact(input: DeleteArtifactInput!): ArtifactPayload
    addAliases(input: AddAliasesInput!): SuccessPayload
    deleteAliases(input: DeleteAliasesInput!): SuccessPayload
  }

  type ClientIDMapping {
    serverID: ID!
  }

  type Artifact {
    id: ID!
    state: ArtifactState!
    artifactType: ArtifactType!
    artifactSequence: ArtifactSequence!
    versionIndex: Int
    digest: String!
    digestAlgorithm: ArtifactDigestAlgorithm
    description: String
    metadata: JSONString
    ttlDurationSeconds: Int64!
    ttlIsInherited: Boolean!
    tags: [Tag!]!
    aliases: [ArtifactAlias!]!
    historyStep: Int64
    size: Int64!
    commitHash: String
    fileCount: Int64!
    createdAt: DateTime!
    updatedAt: DateTime
    createdBy: ArtifactCreator
    usedBy: RunConnection
    currentManifest: ArtifactManifest
    files(names: [String!], after: String, first: Int): FileConnection
    filesByManifestEntries(
      entries: [ArtifactManifestEntryInput!]
      storageLayout: String
      manifestVersion: String
      storageRegion: String
      after: String
      first: Int
    ): FileConnection
    artifactMemberships: ArtifactCollectionMembershipConnection
  }

  union ArtifactCreator = Run | User

  enum ArtifactState {
    PENDING
    COMMITTED
    DELETED
  }

  type ArtifactAlias {
    id: ID!
    alias: String!
    artifactCollection: ArtifactCollection
  }

  type Tag {
    id: ID!
    name: String!
  }

  type TagConnection {
    edges: [TagEdge!]!
  }

  type TagEdge {
    node: Tag
  }

  type ArtifactManifest {
    id: ID!
    digest: String
    file: File
  }

  type ArtifactType {
    id: ID!
    name: String!
    description: String
    createdAt: DateTime
    artifact(name: String!): Artifact
    artifactCollection(name: String!): ArtifactCollection
    artifactCollections(after: String, first: Int, filters: JSONString, order: String): ArtifactCollectionConnection
  }

  type ArtifactTypeConnection {
    edges: [ArtifactTypeEdge!]!
    pageInfo: PageInfo!
  }

  type ArtifactTypeEdge {
    node: ArtifactType
  }

  interface ArtifactCollection {
    id: ID!
    name: String!
    description: String
    state: String
    createdAt: DateTime!
    updatedAt: DateTime
    project: Project
    defaultArtifactType: ArtifactType!
    tags: TagConnection!
    aliases(after: String, first: Int): ArtifactAliasConnection
    artifacts(after: String, first: Int, order: String, filters: JSONString): VersionedArtifactConnection
    artifactMembership(aliasName: String!): ArtifactCollectionMembership
  }

  type ArtifactSequence implements ArtifactCollection {
    id: ID!
    name: String!
    description: String
    state: String
    createdAt: DateTime!
    updatedAt: DateTime
    project: Project
    defaultArtifactType: ArtifactType!
    tags: TagConnection!
    aliases(after: String, first: Int): ArtifactAliasConnection
    artifacts(after: String, first: Int, order: String, filters: JSONString): VersionedArtifactConnection
    artifactMembership(aliasName: String!): ArtifactCollectionMembership
    latestArtifact: Artifact
    digestAlgorithm: ArtifactDigestAlgorithm
  }

  type ArtifactCollectionConnection {
    edges: [ArtifactCollectionEdge!]!
    pageInfo: PageInfo!
    totalCount: Int
  }

  type ArtifactCollectionEdge {
    node: ArtifactCollection
  }

  type ArtifactAliasConnection {
    edges: [ArtifactAliasEdge!]!
    pageInfo: PageInfo!
  }

  type ArtifactAliasEdge {
    node: ArtifactAlias
  }

  type ArtifactConnection {
    edges: [ArtifactEdge!]!
    pageInfo: PageInfo!
    totalCount: Int
  }

  type ArtifactEdge {
    node: Artifact
  }

  type VersionedArtifactConnection {
    edges: [VersionedArtifactEdge!]!
    pageInfo: PageInfo!
    totalCount: Int
  }

  type VersionedArtifactEdge {
    "Its number, such as v3."
    version: String
    node: Artifact
  }

  "A version in a collection."
  type ArtifactCollectionMembership {
    id: ID!
    versionIndex: Int
    createdAt: DateTime
    aliases: [ArtifactAlias!]!
    artifactCollection: ArtifactCollection
    artifact: Artifact
    files(names: [String!], after: String, first: Int): FileConnection
  }

  type ArtifactCollectionMembershipConnection {
    edges: [ArtifactCollectionMembershipEdge!]!
    pageInfo: PageInfo!
  }

  type ArtifactCollectionMembershipEdge {
    node: ArtifactCollectionMembership
  }

  enum ArtifactDigestAlgorithm {
    MANIFEST_MD5
  }

  enum ArtifactManifestType {
    FULL
    INCREMENTAL
    PATCH
  }

  enum ArtifactStorageLayout {
    V1
    V2
  }

  input CreateArtifactInput {
    entityName: String!
    projectName: String!
    runName: String
    artifactTypeName: String!
    artifactCollectionName: String
    artifactCollectionNames: [String!]
    digest: String!
    digestAlgorithm: ArtifactDigestAlgorithm
    description: String
    aliases: [ArtifactAliasInput!]
    tags: [TagInput!]
    metadata: JSONString
    ttlDurationSeconds: Int64
    labels: JSONString
    historyStep: Int64
    storageRegion: String
    enableDigestDeduplication: Boolean
    distributedID: String
    clientID: ID
    sequenceClientID: ID
    clientMutationId: String
  }

  input ArtifactAliasInput {
    artifactCollectionName: String!
    alias: String!
  }

  input TagInput {
    tagName: String!
    tagCategoryName: String
    attributes: JSONString
  }

  type CreateArtifactPayload {
    artifact: Artifact!
    clientMutationId: String
  }

  input CreateArtifactManifestInput {
    artifactID: ID!
    baseArtifactID: ID
    name: String!
    digest: String!
    entityName: String!
    projectName: String!
    runName: String
    type: ArtifactManifestType
    clientMutationId: String
  }

  input UpdateArtifactManifestInput {
    artifactManifestID: ID!
    digest: String
    baseArtifactID: ID
    clientMutationId: String
  }

  type CreateArtifactManifestPayload {
    artifactManifest: ArtifactManifest!
    clientMutationId: String
  }

  input CreateArtifactFilesInput {
    artifactFiles: [CreateArtifactFileSpecInput!]!
    storageLayout: ArtifactStorageLayout
    cloudRegionID: String
    clientMutationId: String
  }

  input CreateArtifactFileSpecInput {
    artifactID: ID!
    name: String!
    md5: String!
    mimetype: String
    artifactManifestID: ID
    uploadPartsInput: [UploadPartsInput!]
  }

  input UploadPartsInput {
    partNumber: Int64!
    hexMD5: String!
  }

  type CreateArtifactFilesPayload {
    files: FileConnection!
    clientMutationId: String
  }

  input ArtifactManifestEntryInput {
    name: String!
    digest: String!
    size: Int64
    birthArtifactID: ID
    ref: String
    extra: JSONString
  }

  input CommitArtifactInput {
    artifactID: ID!
    clientMutationId: String
  }

  input UseArtifactInput {
    artifactID: ID!
    entityName: String!
    projectName: String!
    runName: String!
    artifactEntityName: String
    artifactProjectName: String
    usedAs: String
    clientMutationId: String
  }

  input UpdateArtifactInput {
    artifactID: ID!
    description: String
    metadata: JSONString
    labels: JSONString
    ttlDurationSeconds: Int64
    tagsToAdd: [TagInput!]
    tagsToDelete: [TagInput!]
    aliases: [ArtifactAliasInput!]
    clientMutationId: String
  }

  input DeleteArtifactInput {
    artifactID: ID!
    deleteAliases: Boolean
    clientMutationId: String
  }

  input ArtifactCollectionAliasInput {
    alias: String!
    artifactCollectionName: String!
    entityName: String!
    projectName: String!
  }

  input AddAliasesInput {
    artifactID: ID!
    aliases: [ArtifactCollectionAliasInput!]!
    clientMutationId: String
  }

  input DeleteAliasesInput {
    artifactID: ID!
    aliases: [ArtifactCollectionAliasInput!]!
    clientMutationId: String
  }

  type ArtifactPayload {
    artifact: Artifact
    clientMutationId: String
  }
`;
