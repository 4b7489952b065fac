import { Link } from 'react-router'
import { compactNumber } from './tabs.tsx'

/** `1 cast`, `2 casts` */
export const amount = (value: number, one: string, many = `${one}s`): string =>
  `${compactNumber(value)} ${value === 1 ? one : many}`

type Props = { to: string; value: number; one: string; many?: string }

/** A count with what it counts, as a link to the list. */
export const Figure = ({ to, value, one, many = `${one}s` }: Props) => (
  <li>
    <Link to={to}>
      <strong>{compactNumber(value)}</strong> {value === 1 ? one : many}
    </Link>
  </li>
)
