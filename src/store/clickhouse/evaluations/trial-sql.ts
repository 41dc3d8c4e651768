/** The names of ops repeat, and what is computed of such a column is computed once for each name. */
const opName = 'toLowCardinality(op_name)';

/** The name of an op without its ref: of `weave:///entity/project/op/Name:digest` that is `Name`. */
export const opLabelSql = `if(startsWith(op_name, 'weave:///'), extract(${opName}, '^weave:///[^/]+/[^/]+/op/([^/:]+)'), ${opName})`;

/** Whether a call is one attempt at a row, by the name of Python's SDK or by JavaScript's, alone or in a ref. */
export const isTrialSql = `match(${opName}, '^(weave:///[^/]+/[^/]+/op/)?Evaluation[.](predict_and_score|predictAndScore)(:|$)')`;

/** What recorded a trial (`TrialSource`), by the marks that each program leaves. */
export const trialSourceSql = `multiIf(
  match(${opName}, 'Evaluation[.]predictAndScore(:|$)'), 'javascript',
  JSONExtractBool(attributes, '_weave_eval_meta', 'imperative'), 'logger',
  JSONHas(attributes, 'weave', 'predict_call_id') AND NOT JSONHas(attributes, '_weave_eval_meta'), 'api', 'python')`;

/** A call that records a score, as both ways of logging mark it. */
export const isScoreSql = `(
  JSONExtractString(attributes, 'weave', 'score') = 'true' OR JSONExtractBool(attributes, '_weave_eval_meta', 'score')
)`;

/** Spans of agents that a client has linked to a call. */
export const spanRefsSql = `if(JSONHas(attributes, 'weave', 'genai_span_ref'),
  JSONExtractRaw(attributes, 'weave', 'genai_span_ref'), JSONExtractRaw(summary, 'weave', 'genai_span_ref'))`;

/**
 * The newest version of each call that `where` finds, trials of these evaluations or calls inside them. A call that was
 * deleted or moved in time leaves a row with nothing but its key (decisions/0001): these are few, so leaving out their keys
 * is quicker than looking all keys up again. `select` may compute from payloads: only what it computes is sorted.
 */
export function newestSql(
  select: string,
  { project, evaluations }: { project: string; evaluations: string },
  where: string,
): string {
  return `
    SELECT * FROM (
      SELECT ${select}, started_at AS keyTime, is_started
      FROM calls
      WHERE ${project} AND ${where} AND (started_at, id) NOT IN (
        SELECT started_at, id FROM calls
        WHERE ${project} AND is_deleted = 1
          AND started_at >= (SELECT min(started_at) FROM calls WHERE ${project} AND parent_id IN ${evaluations})
      )
      ORDER BY version DESC
      LIMIT 1 BY keyTime, id
    )
    WHERE is_started = 1`;
}

/** Where the digest of a row begins in the ref of one; 0 where an example is the row itself. */
const step = '/attr/rows/id/';
const exampleSql = "JSONExtractString(inputs, 'example')";
const placeSql = `if(startsWith(${exampleSql}, 'weave:///'), position(${exampleSql}, '${step}'), 0)`;

/** The digest of the row that an example names; empty where the example is the row itself. */
export const rowDigestSql = `if(
  ${placeSql} > 0 AND position(${exampleSql}, '/', ${placeSql} + ${step.length}) = 0,
  substring(${exampleSql}, ${placeSql} + ${step.length}), '')`;
