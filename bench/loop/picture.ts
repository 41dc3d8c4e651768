type Curve = { name: string; points: number[] };

const [width, height, left, right, top, bottom] = [760, 380, 60, 190, 40, 50];
const colors = ['#1f6feb', '#d1495b', '#edae49', '#6a8d73', '#8e6c8a'];

const title = 'Chance of a good answer, mean of the loops';

/** Quality after each turn, as an SVG with a background of its own. */
export function picture(curves: Curve[]): string {
  const values = curves.flatMap(({ points }) => points);
  const low = Math.floor(10 * Math.min(...values)) / 10;
  const high = Math.ceil(10 * Math.max(...values)) / 10;
  const turns = curves[0]!.points.length - 1;
  const x = (turn: number) => left + ((width - left - right) * turn) / turns;
  const y = (value: number) => height - bottom - ((height - top - bottom) * (value - low)) / (high - low);
  const ticks = Array.from({ length: Math.round((high - low) * 10) + 1 }, (_, i) => low + i / 10);
  const labels = spread(
    curves.map(({ points }) => y(points.at(-1)!)),
    16,
  );
  const parts = [
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    text(left, 22, title, { weight: 600 }),
    ...ticks.flatMap((tick) => [
      `<line x1="${left}" x2="${width - right}" y1="${y(tick)}" y2="${y(tick)}" stroke="#e5e5e5"/>`,
      text(left - 8, y(tick) + 4, `${Math.round(100 * tick)} %`, { anchor: 'end', color: '#555555' }),
    ]),
    ...Array.from({ length: turns + 1 }, (_, turn) =>
      text(x(turn), height - bottom + 20, turn === 0 ? 'start' : `${turn}`, { anchor: 'middle', color: '#555555' }),
    ),
    text((left + width - right) / 2, height - 10, 'Turn', { anchor: 'middle', color: '#555555' }),
    ...curves.flatMap(({ name, points }, i) => [
      `<polyline fill="none" stroke="${colors[i]}" stroke-width="${i === 0 ? 3 : 2}"${i === 0 ? '' : ' stroke-dasharray="6 3"'} points="${points
        .map((value, turn) => `${x(turn).toFixed(1)},${y(value).toFixed(1)}`)
        .join(' ')}"/>`,
      text(width - right + 8, labels[i]! + 4, name, { color: colors[i]!, weight: i === 0 ? 600 : 400 }),
    ]),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="13">\n<title>${title}</title>\n${parts.join('\n')}\n</svg>\n`;
}

function text(
  x: number,
  y: number,
  words: string,
  { anchor = 'start', color = '#222222', weight = 400 }: { anchor?: string; color?: string; weight?: number },
): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}" fill="${color}" font-weight="${weight}">${words}</text>`;
}

/** The same places, moved down as far as needed for a distance between neighbors. */
function spread(places: number[], distance: number): number[] {
  const moved = [...places];
  const order = places.map((_, i) => i).sort((a, b) => places[a]! - places[b]!);
  for (const [at, i] of order.entries()) {
    const above = order[at - 1];
    if (above !== undefined) moved[i] = Math.max(moved[i]!, moved[above]! + distance);
  }
  return moved;
}
