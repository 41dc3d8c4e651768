/** The name of an op without its ref: of `weave:///entity/project/op/Name:digest` that is `Name`. */
export const opLabelSql =
  "if(startsWith(op_name, 'weave:///'), extract(op_name, '^weave:///[^/]+/[^/]+/op/([^/:]+)'), op_name)";

/** Python's name and JavaScript's. */
const trialOps = ['Evaluation.predict_and_score', 'Evaluation.predictAndScore'];
export const isTrialSql = `${opLabelSql} IN (${trialOps.map((name) => `'${name}'`).join(', ')})`;

/** A call that records a score, as both ways of logging mark it. */
export const isScoreSql = `(
  JSONExtractString(attributes, 'weave', 'score') = 'true' OR JSONExtractBool(attributes, '_weave_eval_meta', 'score')
)`;

/** Spans of agents that a client has linked to a call. */
export const spanRefsSql = `if(JSONHas(attributes, 'weave', 'genai_span_ref'),
  JSONExtractRaw(attributes, 'weave', 'genai_span_ref'), JSONExtractRaw(summary, 'weave', 'genai_span_ref'))`;

/**
 * The newest version of each call that `where` finds, without those deleted since: a deletion leaves a row that has
 * nothing but the call's key. `select` may compute from payloads: only what it computes is sorted.
 */
export function newestSql(select: string, project: string, where: string): string {
  return `
    SELECT * FROM (
      SELECT ${select}, started_at AS keyTime, is_started, is_deleted
      FROM calls
      WHERE ${project} AND (id, started_at) IN (SELECT id, started_at FROM calls WHERE ${project} AND ${where})
      ORDER BY version DESC
      LIMIT 1 BY keyTime, id
    )
    WHERE is_started = 1 AND is_deleted = 0`;
}
