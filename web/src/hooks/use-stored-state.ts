import { useCallback, useState } from 'react';
import { parseJson, writeJson } from '../format/json.ts';

/**
 * State that the browser remembers, such as chosen columns. It must be no secret and nothing of a payload. Without storage,
 * as in private windows, it lasts as long as the page.
 */
export function useStoredState<Value>(name: string, initial: Value): [Value, (value: Value) => void] {
  const key = `heddle.${name}`;
  const [state, setState] = useState<{ key: string; value: Value }>(() => ({ key, value: read(key, initial) }));
  const current = state.key === key ? state.value : read(key, initial);
  const set = useCallback(
    (value: Value) => {
      setState({ key, value });
      try {
        localStorage.setItem(key, writeJson(value));
      } catch {
        // full or forbidden
      }
    },
    [key],
  );
  return [current, set];
}

function read<Value>(key: string, initial: Value): Value {
  try {
    const text = localStorage.getItem(key);
    return text === null ? initial : (parseJson(text) as Value);
  } catch {
    return initial;
  }
}
