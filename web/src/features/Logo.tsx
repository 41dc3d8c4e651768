/** The mark of heddle: threads of a warp, and one that passes through them. */
export function Logo({ size = 20 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="7" fill="#0e7c86" />
      <g fill="none" stroke="#fff" strokeWidth="2.6" strokeLinecap="round">
        <path d="M9 7v18M16 7v18M23 7v18" />
        <path d="M5.500 12.500c5 0 5.500 7 10.500 7s5.500-7 10.500-7" opacity=".75" />
      </g>
    </svg>
  );
}
