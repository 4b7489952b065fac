/** The bird of Rookery, in the colors of the theme. */
export function Bird() {
  return (
    <svg className="mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" />
      <path d="M7 21c6 0 7-11 15-11l4 2-4 2c0 6-5 10-11 10-2 0-4-1-4-3Z" />
    </svg>
  )
}
