import type { AnswerChecks } from '../chat/structured/checks/answer-checks.ts';
import type { UntrustedTemplates } from '../chat/templates/untrusted-templates.ts';
import type { Identity } from '../identity/identity.ts';
import type { Inference } from '../inference/inference.ts';
import type { ModelReader } from '../inference/model-reader.ts';
import type { Transport } from '../providers/transport.ts';
import type { Blobs } from '../store/blobs/blobs.ts';
import type { DirectBlobs } from '../store/blobs/direct-blobs.ts';
import type { LocalFiles } from '../store/blobs/local-files.ts';
import type { BatchedInserter } from '../store/clickhouse/batched-inserter.ts';
import type { BackgroundCallWriter } from '../store/clickhouse/calls/write/background-writer.ts';
import type { CallWriter } from '../store/clickhouse/calls/write/call-writer.ts';
import type { ClickHouse } from '../store/clickhouse/clickhouse.ts';
import type { Models } from '../store/models/models.ts';
import type { Peers } from '../store/peers/peers.ts';
import type { Postgres } from '../store/postgres/postgres.ts';
import type { SecretKey } from '../store/secret-key.ts';

/** What services need: each takes a part of it. `open/` provides all of them. */
export type Deps = {
  clickhouse: ClickHouse;
  postgres: Postgres;
  blobs: Blobs;
  /** The same blobs for clients that reach the bucket; null without one. */
  directBlobs: DirectBlobs | null;
  /** The same blobs for programs that read files. */
  localFiles: LocalFiles;
  inserter: BatchedInserter;
  calls: CallWriter;
  laterCalls: BackgroundCallWriter;
  identity: Identity;
  peers: Peers;
  /** Aborts when the process is asked to end. */
  draining: AbortSignal;
  secretKey: SecretKey;
  models: Models;
  inference: Inference;
  modelReader: ModelReader;
  /** Renders the templates of prompts. */
  promptTemplates: UntrustedTemplates;
  /** Compares values with JSON schemas of projects. */
  schemaChecks: AnswerChecks;
  /** Reaches model providers. */
  transport: Transport;
};
