/**
 * The merges of a sentencepiece BPE vocabulary, which has only scores: two neighbors may be joined if their
 * concatenation is a token, the best score first; among the ways to make one token, the longest first part.
 */
export function mergesOfScores(tokens: readonly string[], scores: ArrayLike<number>): [string, string][] {
  const ids = new Map(tokens.map((token, id) => [token, id]));
  const merges: { left: string; right: string; score: number; leftLength: number; rightLength: number }[] = [];
  for (const [id, token] of tokens.entries()) {
    const characters = Array.from(token);
    let end = 0;
    for (let length = 1; length < characters.length; length++) {
      end += characters[length - 1]!.length;
      const left = token.slice(0, end);
      const right = token.slice(end);
      if (!ids.has(left) || !ids.has(right)) continue;
      merges.push({ left, right, score: scores[id]!, leftLength: length, rightLength: characters.length - length });
    }
  }
  merges.sort((a, b) => b.score - a.score || b.leftLength - a.leftLength || b.rightLength - a.rightLength);
  return merges.map(({ left, right }) => [left, right]);
}
