import type { ColumnType, Generated } from 'kysely';
import type { AnnotationState, ProgressState } from '../../domain/annotation-queues/progress.ts';
import type { FineTuning } from '../../domain/fine-tuning/job.ts';
import type { GateStateName, VerdictName } from '../../domain/gates/gate-record.ts';
import type { TurnOutcome, TurnPhase } from '../../domain/loops/turn.ts';
import type { RunStatus } from '../../domain/openai-evals/run.ts';
import type { OverlapKind } from '../../domain/suites/overlap.ts';
import type { SuitePurpose } from '../../domain/suites/suite.ts';
import type { SweepState } from '../../domain/sweeps/sweep-state.ts';
import type { SuiteCheck, TrainingEventType, TrainingKind, TrainingStatus } from '../../domain/training/job.ts';
import type { TrainedCall } from '../../domain/training/trained-call.ts';

/** A timestamp with time zone: read as a Date, written as a Date or left to the database. */
type Timestamp = ColumnType<Date, Date | string | undefined, Date | string>;

/** The tables of the PostgreSQL store, which the `.sql` migrations create. */
export type Database = {
  schema_migrations: { number: number; name: string; applied_at: Timestamp; is_additive: Generated<boolean> };
  users: {
    id: string;
    username: string;
    is_owner: Generated<boolean>;
    default_entity_id: string;
    created_at: Timestamp;
  };
  entities: { id: string; name: string; created_at: Timestamp };
  memberships: { user_id: string; entity_id: string; created_at: Timestamp };
  api_keys: {
    id: string;
    user_id: string;
    name: string;
    hash: string;
    ending: string;
    created_at: Timestamp;
    revoked_at: ColumnType<Date | null, Date | null | undefined, Date | null>;
  };
  suites: {
    id: string;
    project_id: string;
    name: string;
    purpose: SuitePurpose;
    dataset_ref: string;
    table_project_id: string;
    table_digest: string;
    row_count: number;
    thread_column: string | null;
    alpha: number;
    frozen_by: string;
    frozen_at: Timestamp;
    scan_jobs: number | null;
    scan_done: number | null;
    scan_unread: number | null;
    scan_ended_at: Date | null;
    scan_error: string | null;
  };
  suite_overlaps: {
    suite_id: string;
    job_id: string;
    row_index: number;
    kind: OverlapKind;
    similarity: number | null;
    line: number | null;
    call_id: string | null;
  };
  gates: {
    id: string;
    project_id: string;
    suite_id: string;
    number: number;
    candidate_ref: string;
    candidate_name: string;
    incumbent_ref: string;
    incumbent_name: string;
    evaluation_ref: string;
    plan: string;
    state: GateStateName;
    error: string | null;
    verdict: VerdictName | null;
    envelope: string | null;
    public_key: string | null;
    created_by: string;
    created_at: Timestamp;
    started_at: Date | null;
    ended_at: Date | null;
  };
  gate_threads: {
    gate_id: string;
    position: number;
    compared: string;
    estimates: string;
    mean: number | null;
    lower: number;
    upper: number;
  };
  sessions: { hash: string; user_id: string; key_id: string | null; created_at: Timestamp; expires_at: Date };
  sign_in_links: { hash: string; user_id: string; expires_at: Date };
  secret_key: { is_only: Generated<boolean>; fingerprint: string };
  processes: {
    id: string;
    name: string;
    acknowledged: number;
    written_up_to: Generated<number>;
    started_at: Timestamp;
    expires_at: Date;
    offer: string | null;
  };
  notices: { number: number; topic: string; key: string; sent_at: Timestamp };
  last_notice: { is_only: Generated<boolean>; number: number };
  running_responses: { id: string; process: string; is_canceled: Generated<boolean> };
  leases: { name: string; process: string; attempt: number; expires_at: Date };
  job_attempts: {
    kind: string;
    job: string;
    project: string;
    process: string;
    attempt: number;
    expires_at: Date;
    is_counted: Generated<boolean>;
    done: number | null;
    total: number | null;
    canceled_at: Date | null;
  };
  projects: {
    id: string;
    entity_id: string;
    name: string;
    created_at: Timestamp;
    clickhouse_server: Generated<string>;
  };
  clickhouse_servers: { name: string; replica: string | null; term: Generated<number>; is_ready: Generated<boolean> };
  clickhouse_processes: { id: string; server: string; term: number; expires_at: Date };
  object_names: { project_id: string; kind: ObjectKind; object_id: string; versions: Generated<number> };
  object_versions: {
    project_id: string;
    kind: ObjectKind;
    object_id: string;
    digest: string;
    version_index: number;
    base_object_class: string | null;
    leaf_object_class: string | null;
    size_bytes: number;
    wb_user_id: string | null;
    first_created_at: ColumnType<Date, Date, never>;
    created_at: ColumnType<Date, Date, Date>;
    deleted_at: Date | null;
  };
  object_aliases: { project_id: string; object_id: string; alias: string; digest: string };
  object_tags: { project_id: string; object_id: string; digest: string; tag: string };
  files: { project_id: string; digest: string; name: string; size_bytes: number; created_at: Timestamp };
  uploaded_files: {
    id: string;
    project_id: string;
    name: string;
    purpose: string;
    size_bytes: number;
    created_by: string;
    created_at: Timestamp;
    expires_at: Date | null;
    source_id: string | null;
  };
  prices: {
    id: string;
    project_id: string;
    llm_id: string;
    provider_id: string;
    effective_date: ColumnType<Date, Date, never>;
    prompt_token_cost: number;
    completion_token_cost: number;
    cache_read_input_token_cost: number;
    cache_creation_input_token_cost: number;
    prompt_token_cost_unit: string;
    completion_token_cost_unit: string;
    created_by: string;
    created_at: ColumnType<Date, Date, never>;
  };
  annotation_queues: {
    id: string;
    project_id: string;
    name: string;
    description: string;
    scorer_refs: string[];
    created_at: ColumnType<Date, Date, never>;
    created_by: string;
    updated_at: ColumnType<Date, Date, Date>;
    deleted_at: Date | null;
  };
  annotation_queue_items: {
    id: string;
    queue_id: string;
    call_id: string;
    call_started_at: number;
    call_ended_at: number | null;
    call_op_name: string;
    call_trace_id: string;
    display_fields: string[];
    created_by: string;
    created_at: ColumnType<Date, Date, never>;
    updated_at: ColumnType<Date, Date, Date>;
    annotation_state: Generated<AnnotationState>;
    annotator_user_id: Generated<string>;
    is_done: Generated<boolean>;
  };
  annotation_progress: {
    item_id: string;
    annotator_id: string;
    annotation_state: ProgressState;
    created_at: ColumnType<Date, Date, never>;
    updated_at: ColumnType<Date, Date, Date>;
  };
  secrets: {
    id: string;
    entity_id: string;
    project_id: string | null;
    name: string;
    sealed: string;
    hosts: string[];
    updated_at: ColumnType<Date, Date, Date>;
  };
  registry_collections: {
    id: string;
    entity_id: string;
    registry: string;
    name: string;
    versions: Generated<number>;
    created_at: Timestamp;
  };
  registry_versions: {
    collection_id: string;
    version_index: number;
    project_id: string;
    object_id: string;
    digest: string;
    linked_by: string;
    linked_at: Timestamp;
  };
  registry_aliases: { collection_id: string; alias: string; version_index: number };
  monitor_cursors: { project_id: string; version: number; call_id: string };
  monitor_counts: {
    project_id: string;
    object_id: string;
    hour: Timestamp;
    scored: Generated<number>;
    not_sampled: Generated<number>;
    over_limit: Generated<number>;
  };
  models: {
    id: string;
    name: string;
    source_kind: 'hub' | 'local';
    source: string;
    revision: string | null;
    weights_file: string | null;
    family: string;
    architecture: string;
    weight_type: string;
    memory_bytes: number | null;
    parameters: number;
    context_length: number;
    size_bytes: number;
    pulled_at: Timestamp;
    base_name: string | null;
    adapter_rank: number | null;
    loaded_by: string | null;
  };
  trained_models: {
    id: string;
    project_id: string;
    name: string;
    base_model: string;
    last_step: Generated<number>;
    metrics: Json<Record<string, number>>;
    created_by: string;
    created_at: Timestamp;
  };
  training_jobs: {
    id: string;
    model_id: string;
    kind: TrainingKind;
    config: Json<Record<string, unknown>>;
    metrics: Json<Record<string, number>>;
    status: Generated<TrainingStatus>;
    created_by: string;
    created_at: Timestamp;
    started_at: Date | null;
    ended_at: Date | null;
    checkpoint_id: string | null;
    paused_at: Date | null;
    paused_state: string | null;
    paused_reason: string | null;
    waiting_reason: string | null;
    allows_suite_rows: Generated<boolean>;
    suite_check: SuiteCheck | null;
    suite_rows_found: number | null;
    starts_from: string | null;
  };
  loops: {
    id: string;
    project_id: string;
    name: string;
    plan: string;
    paused_at: Date | null;
    paused_reason: string | null;
    created_by: string;
    created_at: Timestamp;
    updated_at: Timestamp;
  };
  loop_turns: {
    id: string;
    loop_id: string;
    number: number;
    plan: string | null;
    phase: TurnPhase;
    found: string;
    outcome: TurnOutcome | null;
    reason: string | null;
    starts_at: Date;
    started_at: Date | null;
    ended_at: Date | null;
    answer: 'yes' | 'no' | null;
    answer_reason: string | null;
    answered_by: string | null;
    answered_at: Date | null;
    undone_by: string | null;
    undone_at: Date | null;
  };
  policies: {
    id: string;
    project_id: string;
    name: string;
    key: string;
    created_at: Timestamp;
  };
  policy_versions: {
    policy_id: string;
    number: number;
    content: string;
    created_at: Timestamp;
    created_by: string | null;
    reason: string;
    undoes_to: number | null;
    verdict: string | null;
  };
  policy_looks: { policy_id: string; version: number; look: string; looked_at: Timestamp };
  policy_shadow_tokens: { policy_id: string; day: ColumnType<string, string, string>; tokens: number };
  training_usage: {
    job_id: string;
    day: ColumnType<Date, string, never>;
    project_id: string;
    seconds: number;
    forward_tokens: number;
    trained_tokens: number;
    optimizer_steps: number;
  };
  training_job_calls: { call_id: string; job_id: string; weight: number | null; split: TrainedCall['split'] | null };
  training_events: {
    id: string;
    job_id: string;
    sequence: number;
    type: TrainingEventType;
    data: Json<Record<string, unknown>>;
    created_at: Timestamp;
  };
  checkpoints: {
    id: string;
    model_id: string;
    step: number;
    kind: TrainingKind;
    metrics: Json<Record<string, number>>;
    size_bytes: number;
    created_at: Timestamp;
  };
  fine_tuning_jobs: {
    id: string;
    project_id: string;
    model: string;
    fine_tuned_model: string;
    start_project_id: string | null;
    start_checkpoint_id: string | null;
    training_file_id: string;
    validation_file_id: string | null;
    method: Json<FineTuning['method']>;
    seed: number;
    metadata: Json<Record<string, string>> | null;
    paused_at: Date | null;
    paused_state: string | null;
    canceled_at: Date | null;
    result_file_id: string | null;
    trained_tokens: number | null;
    model_deleted_at: Date | null;
  };
  fine_tuning_checkpoints: {
    id: string;
    job_id: string;
    step: number;
    metrics: Json<Record<string, number>>;
    created_at: Timestamp;
  };
  tinker_runs: {
    id: string;
    model_id: string;
    job_id: string | null;
    lora_rank: number;
    lora_alpha: number;
    user_metadata: Json<Record<string, unknown>> | null;
    created_by: string;
    created_at: Timestamp;
    last_request_at: Timestamp;
    seen_at: Timestamp;
    ended_at: Date | null;
  };
  tinker_checkpoints: {
    id: string;
    run_id: string;
    kind: 'training' | 'sampler' | 'external';
    name: string;
    checkpoint_id: string | null;
    size_bytes: number;
    user_metadata: Json<Record<string, string>> | null;
    created_at: Timestamp;
    expires_at: Date | null;
  };
  runs: {
    id: string;
    project_id: string;
    name: string;
    display_name: string;
    state: Generated<string>;
    config: Generated<string>;
    summary: Generated<string>;
    tags: Generated<string[]>;
    notes: string | null;
    description: string | null;
    group_name: string | null;
    job_type: string | null;
    host: string | null;
    program: string | null;
    repository: string | null;
    commit_hash: string | null;
    sweep_id: string | null;
    created_by: string;
    created_at: Timestamp;
    heartbeat_at: Timestamp;
    history_lines: Generated<number>;
    event_lines: Generated<number>;
    log_lines: Generated<number>;
  };
  sweeps: {
    id: string;
    project_id: string;
    display_name: string | null;
    description: string | null;
    state: SweepState;
    config: string;
    plan: string;
    seed: string;
    next_index: Generated<number>;
    runs_max: number | null;
    created_at: Timestamp;
    updated_at: Timestamp;
  };
  run_lines: {
    run_id: string;
    stream: RunStream;
    sequence: ColumnType<number, never, never>;
    client_id: Generated<string>;
    first_line: number;
    lines: number;
    content: string;
  };
  run_files: { run_id: string; name: string; created_at: Timestamp };
  artifact_collections: {
    id: string;
    project_id: string;
    name: string;
    type: string;
    versions: Generated<number>;
    created_at: Timestamp;
  };
  artifacts: {
    id: string;
    collection_id: string;
    state: ArtifactState;
    version_index: number | null;
    digest: string;
    client_id: string | null;
    description: string | null;
    metadata: string | null;
    tags: Generated<string[]>;
    wanted_aliases: Generated<string[]>;
    history_step: number | null;
    size_bytes: Generated<number>;
    file_count: Generated<number>;
    run_id: string | null;
    created_by: string;
    created_at: Timestamp;
    updated_at: Timestamp;
  };
  artifact_aliases: { collection_id: string; alias: string; artifact_id: string };
  artifact_files: {
    artifact_id: string;
    path: string;
    digest: string;
    size_bytes: number;
    blob_key: string | null;
    reference: string | null;
  };
  deleted_blobs: { key: string; deleted_at: Timestamp; is_empty: Generated<boolean> };
  artifact_uses: { artifact_id: string; run_id: string; used_at: Timestamp };
  openai_evals: {
    project_id: string;
    id: string;
    name: string;
    data_source_config: string;
    testing_criteria: string;
    metadata: string;
    created_at: Timestamp;
    updated_at: Timestamp;
  };
  openai_eval_runs: {
    project_id: string;
    id: string;
    eval_id: string;
    call_id: string;
    name: string;
    data_source: string;
    model: string;
    metadata: string;
    status: RunStatus;
    error: string | null;
    results: string;
    objects: string | null;
    created_by: string;
    created_at: Timestamp;
  };
};

/** Read as a value, written as its text. */
type Json<Value> = ColumnType<Value, string | undefined, string>;

/** Reinforcement learning from trajectories, supervised fine-tuning, direct preference optimization, and reinforcement
 * learning with a grader. */

/** An op and an object may share a name; their versions are numbered separately. */
export type ObjectKind = 'object' | 'op';

/** What a run streams: a row of metrics, a row of measurements of its machine, or a line of output. */
export type RunStream = 'history' | 'events' | 'log';

/** An artifact is pending until its files are uploaded. */
export type ArtifactState = 'pending' | 'committed';
