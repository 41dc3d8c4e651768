/**
 * Letters whose capital takes another number of bytes than they do, each pair a capital and its small letter. ClickHouse
 * finds one where the other was sought only by chance: it depends on what lies beside it in the column.
 */
const pairs = 'ȺⱥȾⱦẞß\u2126ω\u212ak\u212båⱢɫⱤɽⱭɑⱮɱⱯɐⱰɒⱾȿⱿɀꞍɥꞪɦꞫɜꞬɡꞭɬꞮɪꞰʞꞱʇꞲʝꟅʂ\ua7cbɤ\ua7dcƛ';
const smallOfCapital = new Map(pairs.match(/../gu)!.map((pair) => [...pair] as [string, string]));

/**
 * A text, with small letters in place of those capitals: what is sought and what it is sought in have to go through it.
 * Where it is known what is sought, only letters of it matter: mostly k, for which there is also the sign of kelvin.
 */
export function withSmallLettersSql(text: string, sought: string | null): string {
  const letters = sought === null ? null : new Set(sought.toLowerCase());
  let sql = text;
  for (const [capital, small] of smallOfCapital) {
    if (letters === null || letters.has(small)) sql = `replaceAll(${sql}, '${capital}', '${small}')`;
  }
  return sql;
}
