import { useQuery } from '@tanstack/react-query'
import { t } from '../../shared/messages.ts'
import { dateText } from '../../shared/text.ts'
import { type Availability, availabilityOf } from './account-calls.ts'

export const MAX_NAME_LENGTH = 16
const RULE = t('1 to 16 of a–z, 0–9 and -, and begins with a letter or a digit')
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
  if (name === '')
    return { isGood: true, isHeld: false, text: t('A name has {rule}.', { rule: RULE }) }
  if (!isWellFormed)
    return { isGood: false, isHeld: false, text: t('A name has {rule}.', { rule: RULE }) }
  if (error) return { isGood: false, isHeld: false, text: error.message }
  if (!data) return { isGood: false, isHeld: false, text: t('Looking …') }
  if (data.status === 'free')
    return { isGood: true, isHeld: false, text: t('{name} is free.', { name }) }
  return {
    isGood: false,
    isHeld: true,
    text: t('{held} Choose another one.', { held: heldText(name, data) }),
  }
}

/** Why one cannot have a name. */
function heldText(name: string, { status, availableAt }: Availability): string {
  if (status === 'reserved') return t('This server gives {name} to nobody.', { name })
  if (status === 'taken') return t('{name} is taken.', { name })
  return availableAt === undefined
    ? t('{name} was given back a short time ago, and is free again later.', { name })
    : t('{name} was given back a short time ago, and is free again from {date}.', {
        name,
        date: dateText(availableAt),
      })
}
