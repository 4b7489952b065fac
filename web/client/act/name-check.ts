import { useQuery } from '@tanstack/react-query'
import { availabilityOf } from './account-calls.ts'

export const MAX_NAME_LENGTH = 16
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
    return {
      isGood: true,
      isHeld: false,
      text: '1 to 16 of a–z, 0–9 and -. You can choose one later.',
    }
  if (!isWellFormed)
    return { isGood: false, isHeld: false, text: 'A name is 1 to 16 of a–z, 0–9 and -.' }
  if (error) return { isGood: false, isHeld: false, text: error.message }
  if (!data) return { isGood: false, isHeld: false, text: 'Looking …' }
  if (data.status === 'free') return { isGood: true, isHeld: false, text: `${name} is free.` }
  return { isGood: false, isHeld: true, text: `${name} is ${data.status}. Choose another one.` }
}
