// The icons that a snap may name, drawn as those of the client are: lines in a square of 24.

const CIRCLE = 'M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0Z'
const PERSON =
  'M9 11a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7Zm-6.500 9c0-4 3-6 6.500-6s6.500 2 6.500 6'
const THUMB =
  'M8 20V10.500l4-7.500c1.700 0 2.700 1.200 2.300 3L13.500 9.500H19a1.800 1.800 0 0 1 1.700 2.300l-2 6.500A2.400 2.400 0 0 1 16.400 20ZM8 10.500H4V20h4'

const PATHS: Readonly<Record<string, string>> = {
  'arrow-right': 'M5 12h14m-6-6 6 6-6 6',
  'arrow-left': 'M19 12H5m6-6-6 6 6 6',
  'external-link': 'M14 4h6v6m0-6-9 9M10 5H5v14h14v-5',
  'chevron-right': 'm9 5 7 7-7 7',
  check: 'm5 12.500 4.500 4.500L19 7.500',
  x: 'M6.500 6.500l11 11m0-11-11 11',
  'alert-triangle': 'M12 9v4.500m0 3.500v.01M12 4 2.500 20h19Z',
  info: `M12 11v6m0-9.500v.01M${CIRCLE.slice(1)}`,
  clock: `M12 7v5l3 2${CIRCLE}`,
  heart:
    'M12 20c-5-3.600-8.500-6.800-8.500-10.700A4.300 4.300 0 0 1 12 7.500a4.300 4.300 0 0 1 8.500 1.800C20.500 13.200 17 16.400 12 20Z',
  'message-circle':
    'M20 11.500c0 4-3.600 7-8 7-1.200 0-2.300-.2-3.300-.6L4 19.500l1.300-3.700A6.500 6.500 0 0 1 4 11.500c0-4 3.600-7 8-7s8 3 8 7Z',
  repeat:
    'M4 12V9.500a3 3 0 0 1 3-3h11m0 0-3-3m3 3-3 3M20 12v2.500a3 3 0 0 1-3 3H6m0 0 3-3m-3 3 3 3',
  share: 'M12 15V3.500m0 0L8 7.500m4-4 4 4M6 11H5v9.500h14V11h-1',
  user: 'M12 11.500a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm-7.500 9c0-4 3.500-6 7.500-6s7.500 2 7.500 6',
  users: `${PERSON}M15.500 4.300a3.500 3.500 0 0 1 0 6.400M18 14.500c2 .8 3.500 2.600 3.500 5.500`,
  star: 'm12 3.500 2.600 5.500 6 .8-4.400 4.200 1.100 6-5.300-3-5.300 3 1.100-6L3.400 9.800l6-.8Z',
  trophy:
    'M8 4h8v6a4 4 0 0 1-8 0ZM8 5.500H4.500c0 3 1.200 4.700 3.700 5M16 5.500h3.500c0 3-1.200 4.700-3.700 5M12 14v4m-3.500 2.500h7',
  zap: 'M13 3 5 13.500h6L10.500 21 19 10.500h-6Z',
  flame:
    'M12 21c-3.900 0-6.500-2.600-6.500-6.200 0-4.800 4.500-6 4.500-11.300 4 1.500 8.500 6 8.500 11.300 0 3.600-2.600 6.200-6.500 6.200Zm0 0c-1.800 0-3-1.300-3-3 0-2 1.800-2.700 3-5 1.200 2.300 3 3 3 5 0 1.700-1.200 3-3 3Z',
  gift: 'M4 9h16v4H4Zm1.500 4v7.500h13V13M12 9v11.500M12 9c-6 0-5.500-5.500-3-5.500 1.700 0 3 2.500 3 5.500Zm0 0c6 0 5.500-5.500 3-5.500-1.700 0-3 2.500-3 5.500Z',
  image: 'M4 5h16v14H4Zm0 11 5-5 4 4 2.500-2.500L20 17M15.500 9v.01',
  play: 'M7 4.500v15l12-7.500Z',
  pause: 'M8 5v14m8-14v14',
  wallet:
    'M4 7.500V18a1.500 1.500 0 0 0 1.500 1.500h14v-11H5.500A1.500 1.500 0 0 1 5.500 5h12v3.500M16 14v.01',
  coins:
    'M15 8a6 2.500 0 1 1-12 0 6 2.500 0 0 1 12 0Zm0 0v4M3 8v8c0 1.400 2.700 2.500 6 2.500M21 14.500a4.500 2 0 1 1-9 0 4.500 2 0 0 1 9 0Zm0 0v4c0 1.100-2 2-4.500 2s-4.500-.9-4.500-2v-4',
  plus: 'M12 5v14m-7-7h14',
  minus: 'M5 12h14',
  'refresh-cw':
    'M20 4.500V9h-4.500M4 19.500V15h4.500M19.500 9A8 8 0 0 0 5.600 7.500M4.500 15a8 8 0 0 0 13.900 1.500',
  bookmark: 'M6.500 4h11v16.500L12 16l-5.500 4.500Z',
  'thumbs-up': THUMB,
  'thumbs-down': THUMB,
  'trending-up': 'm3 17 6-6 4 4 8-8m-5 0h5v5',
  'trending-down': 'm3 7 6 6 4-4 8 8m-5 0h5v-5',
}

/** A path turned by half a circle. */
const TURNED = ['thumbs-down']

export const SnapIcon = ({ name }: { name: string }) => (
  <svg className="icon" viewBox="0 0 24 24" aria-hidden="true">
    <path
      d={PATHS[name]}
      transform={TURNED.includes(name) ? 'rotate(180 12 12)' : undefined}
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
      strokeLinejoin="round"
    />
  </svg>
)
