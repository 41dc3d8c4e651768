/** Runs, as the wandb clients record them and read them back. A bucket is what the clients once called a run. */
export const runsSchema = /* GraphQL */ `
  "JSON as text."
  scalar JSONString
  scalar Int64

  extend type Project {
    "Null if the run does not exist. Only a self-test of clients sends a desc, of 10 MB."
    run(name: String!, desc: String): Run
    "An error if the run does not exist, unless that is ok."
    bucket(name: String, missingOk: Boolean, desc: String): Run
    "The newest first, unless an order is given."
    runs(filters: JSONString, after: String, first: Int, order: String): RunConnection
    buckets(first: Int): RunConnection
    runCount(filters: JSONString): Int
  }

  extend type Mutation {
    "Adds a run, or changes the one of this id or name."
    upsertBucket(input: UpsertBucketInput!): UpsertBucketPayload
    "Removes the rows after a step, so that the run goes on from there."
    rewindRun(input: RewindRunInput!): RewindRunPayload
    createRunFiles(input: CreateRunFilesInput!): CreateRunFilesPayload
    markRunFilesUploaded(input: MarkRunFilesUploadedInput!): SuccessPayload
    deleteFiles(input: DeleteFilesInput!): SuccessPayload
    deleteRun(input: DeleteRunInput!): DeleteRunPayload
  }

  type Run {
    id: ID!
    name: String!
    "A number that identifies the project."
    projectId: Int
    project: Project
    displayName: String
    sweepName: String
    state: String
    running: Boolean
    failed: Boolean
    stopped: Boolean
    shouldStop: Boolean
    "Null: heddle stores the state only."
    exitcode: Int
    config: JSONString
    wandbConfig(keys: [String!]): JSONString
    summaryMetrics: JSONString
    systemMetrics: JSONString
    tags: [String!]
    notes: String
    description: String
    group: String
    jobType: String
    commit: String
    host: String
    readOnly: Boolean
    user: User
    createdAt: DateTime
    heartbeatAt: DateTime
    updatedAt: DateTime
    historyLineCount: Int
    eventsLineCount: Int
    logLineCount: Int
    "The last line, in a list."
    historyTail: JSONString
    eventsTail: JSONString
    "The columns of its history, and its last step."
    historyKeys: JSON
    "All rows from minStep up to before maxStep, or as many samples of all rows."
    history(minStep: Int64, maxStep: Int64, samples: Int): [JSONString!]
    "Samples of the metrics of the system."
    events(samples: Int): [JSONString!]
    "Lines of terminal output: the first after a cursor, or the last."
    logLines(first: Int, after: String, last: Int, useImprovedPagination: Boolean): LogLineConnection
    parquetHistory(liveKeys: [String!]!): ParquetHistory
    "A list of rows for each specification."
    sampledHistory(specs: [JSONString!]!): [JSON]
    files(names: [String], pattern: String, after: String, first: Int): FileConnection
    fileCount: Int
    outputArtifacts(after: String, first: Int): ArtifactConnection
    inputArtifacts(after: String, first: Int): ArtifactConnection
  }

  "History is not exported to files: all of it is live, and read with the field history."
  type ParquetHistory {
    parquetUrls: [String!]!
    "The first rows, with only the live keys."
    liveData: [JSON!]!
  }

  type LogLineConnection {
    edges: [LogLineEdge!]!
    pageInfo: PageInfo!
  }

  type LogLineEdge {
    node: LogLine
  }

  type LogLine {
    number: Int!
    timestamp: DateTime
    level: String
    label: String
    line: String!
  }

  type RunConnection {
    edges: [RunEdge!]!
    pageInfo: PageInfo!
    totalCount: Int
  }

  type RunEdge {
    node: Run
    cursor: String
  }

  type PageInfo {
    endCursor: String
    hasNextPage: Boolean!
  }

  type File {
    id: ID!
    name: String
    displayName: String
    url(upload: Boolean): String
    directUrl: String
    "An address at this server, for the web page, which loads nothing from elsewhere."
    servedUrl: String
    uploadUrl: String
    uploadHeaders: [String!]
    uploadMultipartUrls: UploadMultipartUrls
    storagePath: String
    sizeBytes: Int64
    mimetype: String
    updatedAt: DateTime
    digest: String
    md5: String
    artifact: Artifact
  }

  type UploadMultipartUrls {
    uploadID: String
    uploadUrlParts: [UploadUrlPart!]
  }

  type UploadUrlPart {
    partNumber: Int64
    uploadUrl: String
  }

  type FileConnection {
    uploadHeaders: [String!]
    edges: [FileEdge!]!
    pageInfo: PageInfo!
    totalCount: Int
  }

  type FileEdge {
    node: File
    cursor: String
  }

  input UpsertBucketInput {
    id: String
    name: String
    modelName: String
    entityName: String
    displayName: String
    description: String
    notes: String
    groupName: String
    jobType: String
    commit: String
    config: JSONString
    summaryMetrics: JSONString
    host: String
    debug: Boolean
    jobProgram: String
    jobRepo: String
    state: String
    sweep: String
    tags: [String!]
    clientMutationId: String
  }

  type UpsertBucketPayload {
    bucket: Run
    inserted: Boolean
    serverSettings: ServerSettings
    clientMutationId: String
  }

  input RewindRunInput {
    runName: String!
    entityName: String
    projectName: String
    metricName: String!
    metricValue: Float!
    clientMutationId: String
  }

  type RewindRunPayload {
    rewoundRun: Run
    clientMutationId: String
  }

  input DeleteFilesInput {
    files: [ID!]!
    projectId: Int
    clientMutationId: String
  }

  input CreateRunFilesInput {
    entityName: String
    projectName: String
    runName: String!
    files: [String!]!
    clientMutationId: String
  }

  type CreateRunFilesPayload {
    runID: ID!
    uploadHeaders: [String!]!
    files: [File!]!
    clientMutationId: String
  }

  input MarkRunFilesUploadedInput {
    entityName: String
    projectName: String
    runName: String!
    files: [String!]!
    clientMutationId: String
  }

  type SuccessPayload {
    success: Boolean
    clientMutationId: String
  }

  input DeleteRunInput {
    id: ID!
    deleteArtifacts: Boolean
    clientMutationId: String
  }

  type DeleteRunPayload {
    clientMutationId: String
  }
`;
