import type { GraderOf } from '../../contract/graders/grader.ts';

/** The `response_format` of a short answer, and how many tokens it has at most. */
export type VerdictFormat = { response_format: object; tokensMax: number };

/**
 * The result of a grader without reasons. heddle's engine cannot leave this form or its bounds, which JSON Schema does
 * not guarantee: white space and strings have no end there.
 */
export function resultFormat(grader: GraderOf<'score_model'> | GraderOf<'label_model'>): VerdictFormat {
  const results = grader.type === 'score_model' ? scoresIn(grader.range ?? [0, 1]) : grader.labels;
  const texts = results.map((each) => JSON.stringify(each));
  const elements = [fixed('{"result": '), { type: 'or', elements: texts.map(fixed) }, fixed('}')];
  const longest = Math.max(...texts.map((text) => Buffer.byteLength(text)));
  return verdict({ type: 'sequence', elements }, '{"result": }'.length + longest);
}

/** A small object of any members, such as of a judge whose prompt describes its answer. */
export const smallObjectFormat: VerdictFormat = (() => {
  const number = '-?(0|[1-9][0-9]{0,5})(\\.[0-9]{1,4})?';
  const member = `"[a-zA-Z_][a-zA-Z0-9_]{0,30}": (true|false|null|${number}|"[ !#-\\[\\]-~]{0,60}")`;
  return verdict({ type: 'regex', pattern: `\\{${member}(, ${member}){0,3}\\}` }, 4 * 100);
})();

/** A token has at least one byte. */
function verdict(format: object, bytes: number): VerdictFormat {
  return { response_format: { type: 'structural_tag', format }, tokensMax: bytes + 1 };
}

function fixed(value: string) {
  return { type: 'const_string', value };
}

/** About a hundred round numbers in a range, with its ends. */
function scoresIn([from = 0, to = 1]: readonly number[]): number[] {
  const decimals = Math.max(0, -Math.ceil(Math.log10((to - from) / 100) - 1e-9));
  const step = 10 ** Math.ceil(Math.log10((to - from) / 100) - 1e-9);
  const scores = new Set([from]);
  for (let score = Math.ceil(from / step) * step; score < to; score += step) {
    if (score > from) scores.add(Number(score.toFixed(Math.min(decimals, 20))));
  }
  return [...scores.add(to)];
}
