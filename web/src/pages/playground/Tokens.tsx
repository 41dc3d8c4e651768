import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react';
import { probabilityMark } from '../../features/chat/token-probability.ts';
import { formatPercent } from '../../format/numbers.ts';
import type { AnswerToken } from './answer.ts';
import styles from './Tokens.module.css';

/** An answer by tokens, the improbable ones marked. Pointing at one, or the arrow keys, shows its alternatives. */
export function Tokens({ tokens }: { tokens: AnswerToken[] }) {
  const [active, setActive] = useState<number | null>(null);
  const place = useRef<HTMLDivElement>(null);
  const onPoint = ({ target }: PointerEvent) => {
    const index = (target as HTMLElement).dataset.index;
    if (index !== undefined) setActive(Number(index));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1 };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    setActive(active === null ? 0 : Math.max(0, Math.min(tokens.length - 1, active + step)));
  };
  const token = active === null ? undefined : tokens[active];
  const span = active === null ? null : place.current?.querySelector<HTMLElement>(`[data-index="${active}"]`);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls
    <div
      ref={place}
      role="group"
      className={styles.tokens}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys move between tokens
      tabIndex={0}
      aria-label="Tokens of the answer. The arrow keys show the alternatives of each."
      onPointerOver={onPoint}
      onPointerLeave={() => setActive(null)}
      onBlur={() => setActive(null)}
      onKeyDown={onKeyDown}
    >
      {tokens.map((each, index) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: a token is its position
          key={index}
          data-index={index}
          data-active={index === active || undefined}
          className={`${styles.token} ${probabilityMark(each.logprob)}`}
        >
          {each.token}
        </span>
      ))}
      {token && span && (
        <div
          className={styles.card}
          role="status"
          style={{
            top: span.offsetTop + span.offsetHeight + 4,
            left: Math.max(0, Math.min(span.offsetLeft, (place.current?.clientWidth ?? 0) - cardWidth)),
          }}
        >
          <Alternatives token={token} />
        </div>
      )}
    </div>
  );
}

const cardWidth = 240;

function Alternatives({ token }: { token: AnswerToken }) {
  const isListed = token.alternatives.some((each) => each.token === token.token);
  const rows = isListed ? token.alternatives : [token, ...token.alternatives];
  return (
    <table className={styles.alternatives}>
      <caption className="visually-hidden">The token and its alternatives</caption>
      <tbody>
        {rows.map(({ token: text, logprob }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: different tokens may have one text
          <tr key={index} data-chosen={text === token.token || undefined}>
            <th scope="row">
              <code>{visible(text)}</code>
              {text === token.token && <span className="visually-hidden"> (chosen)</span>}
            </th>
            <td>{percentOf(logprob)}</td>
            <td title="Log probability">{logprob > -0.005 ? '0.00' : logprob.toFixed(2)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function percentOf(logprob: number): string {
  const share = Math.exp(logprob);
  return share < 0.0005 ? '< 0.1 %' : formatPercent(share);
}

/** Spaces and line breaks as signs. */
function visible(text: string): string {
  return text === '' ? '∅' : text.replaceAll('\n', '↵').replaceAll('\t', '⇥').replaceAll(' ', '·');
}
