/** Outlines on a grid of 16 by 16. */
const paths = {
  arrowLeft: 'M13 8H3M7 4 3 8l4 4',
  arrowDown: 'M8 3v10M4 9l4 4 4-4',
  arrowUp: 'M8 13V3M4 7l4-4 4 4',
  bars: 'M2.500 13.500h11M4 11V8M7 11V4M10 11V6M13 11V9',
  check: 'm3 8.500 3.500 3.500L13 4.500',
  chevronDown: 'm4 6 4 4 4-4',
  chevronRight: 'm6 4 4 4-4 4',
  chat: 'M2.500 3.500h11v7.500H8l-3 2.500v-2.500H2.500z',
  chevronsUpDown: 'm5 6 3-3 3 3M5 10l3 3 3-3',
  clipboard: 'M5.500 3H4v10.500h8V3h-1.500M5.500 2h5v2h-5z',
  clock: 'M8 2.500a5.500 5.500 0 1 1 0 11 5.500 5.500 0 0 1 0-11M8 5v3.200l2 1.300',
  close: 'm4 4 8 8M12 4l-8 8',
  code: 'm5.500 4.500-3.500 3.500 3.500 3.500M10.500 4.500 14 8l-3.500 3.500',
  columns: 'M2.500 3h11v10h-11zM6.200 3v10M9.800 3v10',
  copy: 'M5.500 5.500h8v8h-8zM10.500 5.500v-3h-8v8h3',
  cube: 'm8 2 5.500 3v6L8 14l-5.500-3V5zM2.500 5 8 8l5.500-3M8 8v6',
  download: 'M8 2.500v7.500M4.500 7 8 10.500 11.500 7M2.500 13.500h11',
  error: 'M8 2.500a5.500 5.500 0 1 1 0 11 5.500 5.500 0 0 1 0-11M8 5v3.500M8 10.700v.3',
  external: 'M6 3.500H3v9.500h9.500v-3M9 2.500h4.500V7M13.500 2.500 7.500 8.500',
  filter: 'M2.500 4h11M4.500 8h7M6.500 12h3',
  flask: 'M6 2.500h4M6.500 2.500v4L3 13.500h10L9.500 6.500v-4M4.500 10.500h7',
  gate: 'M8 2.500v11M4.500 13.500h7M2.500 4.500h11M4 4.500 2 9.500h4zM12 4.500l-2 5h4z',
  gear: 'M8 5.800a2.200 2.200 0 1 1 0 4.400 2.200 2.200 0 0 1 0-4.400M8 1.800v2M8 12.200v2M1.800 8h2M12.200 8h2M3.600 3.600 5 5M11 11l1.400 1.400M12.400 3.600 11 5M5 11l-1.400 1.400',
  grid: 'M2.500 2.500h4.500v4.500H2.500zM9 2.500h4.500v4.500H9zM2.500 9h4.500v4.500H2.500zM9 9h4.500v4.500H9z',
  heart: 'M8 13.200 3 8.300a3 3 0 0 1 5-3.200 3 3 0 0 1 5 3.200z',
  key: 'M10.500 3a2.800 2.800 0 1 1-2.300 4.300L3 12.500v1h2v-1.500h1.500V10.500',
  list: 'M5.500 4h8M5.500 8h8M5.500 12h8M2.500 4h.3M2.500 8h.3M2.500 12h.3',
  menu: 'M2.500 4h11M2.500 8h11M2.500 12h11',
  minus: 'M3.500 8h9',
  moon: 'M13 9.700A5.600 5.600 0 0 1 6.300 3a5.600 5.600 0 1 0 6.700 6.700',
  more: 'M3.500 8h.1M8 8h.1M12.500 8h.1',
  pause: 'M5.500 3.500v9M10.500 3.500v9',
  pencil: 'm3 13 .5-2.500 7.500-7.500 2 2-7.500 7.500z',
  play: 'M5 3.500v9l7.500-4.500z',
  plus: 'M8 3v10M3 8h10',
  queue: 'M2.500 3.500h11v3h-11zM2.500 9.500h5M2.500 12.500h5M10 11l1.500 1.500L14 9.700',
  refresh: 'M13 8a5 5 0 1 1-1.600-3.700M13 2.500v2.500h-2.500',
  search: 'M7 2.500a4.500 4.500 0 1 1 0 9 4.500 4.500 0 0 1 0-9M10.300 10.300l3.200 3.200',
  signOut: 'M6.500 2.500H3v11h3.500M10 5l3 3-3 3M13 8H6',
  sun: 'M8 5.300a2.700 2.700 0 1 1 0 5.400 2.700 2.700 0 0 1 0-5.400M8 1.500v1.500M8 13v1.500M1.500 8H3M13 8h1.500M3.400 3.400l1 1M11.600 11.600l1 1M12.600 3.400l-1 1M4.400 11.600l-1 1',
  table: 'M2.500 3h11v10h-11zM2.500 6.300h11M2.500 9.700h11M6.500 6.300V13',
  threads: 'M2.500 2.500H10v5H6L4 9.300V7.500H2.500zM12 5.500h1.500v5H12v1.800l-2-1.800H6.500',
  traces: 'M2.500 3.500h8M4.500 8h9M6.500 12.500h5',
  training: 'M2.500 13.500h11M2.500 11.500l3.500-4 2.500 2L13.500 3.500M10.500 3.500h3v3',
  trash: 'M3 4.500h10M6.500 4V2.500h3V4M4.500 4.500l.6 9h5.800l.6-9',
  user: 'M8 2.500a2.700 2.700 0 1 1 0 5.400 2.700 2.700 0 0 1 0-5.400M3 13.500c.4-3 2.300-4 5-4s4.600 1 5 4',
} as const;

export type IconName = keyof typeof paths;

/** Decoration beside a label. A control that is only an icon gets its label from `IconButton`. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.4}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={paths[name]} />
    </svg>
  );
}
