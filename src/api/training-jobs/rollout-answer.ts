type Piece = { text: string; isTrained: boolean; tokens: { text: string; logprob: number | null }[] | null };

export function rolloutAnswer({ advantage, pieces }: { advantage: number | null; pieces: Piece[] }) {
  return {
    advantage,
    pieces: pieces.map(({ text, isTrained, tokens }) => ({ text, is_trained: isTrained, tokens })),
  };
}
