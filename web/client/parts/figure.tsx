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
  const text = of(amount, value)
  const at = text.indexOf(amount)
  if (at === -1) return <Whole to={to} text={text} />
  const [before, after] = [text.slice(0, at), text.slice(at + amount.length)]
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

/** Where a language has a word for the number, such as for two. */
const Whole = ({ to, text }: { to: string; text: string }) => (
  <li>
    <Link to={to}>{text}</Link>
  </li>
)
