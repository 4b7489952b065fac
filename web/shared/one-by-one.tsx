import { type ReactNode, useState } from 'react'
import { Icon } from './icons.tsx'
import type { NotDone } from './in-turn.ts'
import { t } from './messages.ts'
import { cleanText } from './text.ts'
import './one-by-one.css'

// Choosing several in a list, and what is told when the same was done for each.

/** Chosen at once. */
export const MAX_CHOSEN = 50
/** What is chosen in a list, by its key; what has left the list is chosen no more. */
export function useChosen<T>(shown: readonly T[], keyOf: (item: T) => number) {
  const [keys, setKeys] = useState<ReadonlySet<number>>(new Set())
  const chosen = shown.filter((item) => keys.has(keyOf(item)))
  return {
    chosen,
    isChosen: (item: T) => keys.has(keyOf(item)),
    /** Whether one more may be chosen, or this one is already. */
    mayChoose: (item: T) => keys.has(keyOf(item)) || chosen.length < MAX_CHOSEN,
    choose: (items: readonly T[]) => setKeys(new Set(items.map(keyOf))),
    toggle: (item: T) => {
      const others = chosen.map(keyOf).filter((key) => key !== keyOf(item))
      setKeys(new Set(keys.has(keyOf(item)) ? others : [...others, keyOf(item)]))
    },
  }
}

export const chosenText = (count: number): string =>
  t('{count, plural, one {# chosen} other {# chosen}}, at most {most}', { count, most: MAX_CHOSEN })

export const progressText = (done: number, count: number): string =>
  t('{done} of {count} done …', { done, count })

type NotDoneProps<T> = {
  failed: readonly NotDone<T>[]
  count: number
  nameOf: (item: T) => string
  textOf?: (message: string) => string
}

/** Which were not done, and why. */
export function NotDoneList<T>({ failed, count, nameOf, textOf = cleanText }: NotDoneProps<T>) {
  return (
    <div className="fault" role="alert">
      <p>
        <Icon name="warning" />{' '}
        {t('{done} of {count} are done. These are not:', { done: count - failed.length, count })}
      </p>
      <ul>
        {failed.map(
          ({ item, message }, at): ReactNode => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the list does not change
            <li key={at}>
              <bdi>{nameOf(item)}</bdi>: <bdi>{textOf(message)}</bdi>
            </li>
          ),
        )}
      </ul>
    </div>
  )
}
