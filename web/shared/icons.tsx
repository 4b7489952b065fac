const PATHS = {
  check: 'm5 12.500 4.500 4.500L19 7.500',
  cross: 'M6.500 6.500l11 11m0-11-11 11',
  warning:
    'M12 8.500v4.500m0 3.500v.01M10.300 4.500 2.800 17.500A2 2 0 0 0 4.500 20.500h15a2 2 0 0 0 1.700-3l-7.500-13a2 2 0 0 0-3.400 0Z',
  clock: 'M12 7v5l3 2M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0Z',
  question:
    'M9.500 9.500a2.500 2.500 0 1 1 3.500 2.300c-.7.300-1 .8-1 1.700m0 3v.01M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0Z',
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path
        d={PATHS[name]}
        fill="none"
        stroke="currentColor"
        strokeWidth="2"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  )
}
