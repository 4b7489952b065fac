import { useQuery } from '@tanstack/react-query'
import { dateText } from '../../shared/text.ts'
import { type Availability, availabilityOf } from './account-calls.ts'

export const MAX_NAME_LENGTH = 16
const RULE = '1 to 16 of a–z, 0–9 and -, and begins with a letter or a digit'
const NAME = /^[a-z0-9][a-z0-9-]{0,15}$/

type NameCheck = {
  readonly isGood: boolean
  /** Whether it is a name that one cannot have. */
  readonly isHeld: boolean
  readonly text: string
}

/** Whether the account may have a name, in words. */
export function useNameCheck(name: string): NameCheck {
  const isWellFormed = NAME.test(name)
  const { data, error } = useQuery({
    queryKey: ['availability', name],
    queryFn: () => availabilityOf(name),
    enabled: isWellFormed,
    retry: false,
  })
  if (name === '') return { isGood: true, isHeld: false, text: `A name has ${RULE}.` }
  if (!isWellFormed) return { isGood: false, isHeld: false, text: `A name has ${RULE}.` }
  if (error) return { isGood: false, isHeld: false, text: error.message }
  if (!data) return { isGood: false, isHeld: false, text: 'Looking …' }
  if (data.status === 'free') return { isGood: true, isHeld: false, text: `${name} is free.` }
  return { isGood: false, isHeld: true, text: `${heldText(name, data)} Choose another one.` }
}

/** Why one cannot have a name. */
function heldText(name: string, { status, availableAt }: Availability): string {
  if (status === 'reserved') return `This server gives ${name} to nobody.`
  if (status === 'taken') return `${name} is taken.`
  const from = availableAt === undefined ? 'later' : `from ${dateText(availableAt)}`
  return `${name} was given back a short time ago, and is free again ${from}.`
}
