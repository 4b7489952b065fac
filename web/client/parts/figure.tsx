import { Link } from 'react-router'
import { compactNumber } from './tabs.tsx'

type Props = {
  to: string
  value: number
  /** The count and what it counts, in words: `2 members`. */
  of: (amount: string, value: number) => string
}

/** A count with what it counts, as a link to the list. */
export function Figure({ to, value, of }: Props) {
  const amount = compactNumber(value)
  // Languages have the number in different places.
  const [before, after] = of(amount, value).split(amount)
  return (
    <li>
      <Link to={to}>
        {before}
        <strong>{amount}</strong>
        {after}
      </Link>
    </li>
  )
}
