import { type RefCallback, useEffect, useState } from 'react';

/** The width of an element, which follows the window. The element may come later than its component. */
export function useWidth<Element extends HTMLElement>(): [RefCallback<Element>, number] {
  const [element, setElement] = useState<Element | null>(null);
  const [width, setWidth] = useState(640);
  useEffect(() => {
    if (element === null) return;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, [element]);
  return [setElement, width];
}
