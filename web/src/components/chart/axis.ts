import type uPlot from 'uplot';
import { tokenColor } from './token-color.ts';

/** How the axes of all charts look. */
export function axis(): uPlot.Axis {
  return {
    stroke: tokenColor('--text-faint'),
    font: `11px ${getComputedStyle(document.body).fontFamily}`,
    grid: { stroke: tokenColor('--border'), width: 1 },
    ticks: { show: false },
    size: 24,
    gap: 6,
  };
}
