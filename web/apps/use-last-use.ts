import { useEffect, useState } from 'react'
import { t } from '../shared/messages.ts'
import { dateText } from '../shared/text.ts'

// When each key last signed something, as far as the newest messages of the account tell.

type Message = { readonly signer: string; readonly data: { readonly timestamp: number } }

const LISTS = ['castsByFid?', 'reactionsByFid?reaction_type=Like&']
export const NEWEST = 100
/** Said of a key that has signed none of them. */
export const NOT_LATELY = t(
  '{count, plural, one {not used for the newest {post} and like} other {not used for the newest # {posts} and likes}}',
  { count: NEWEST },
)
const EPOCH_SECONDS = 1_609_459_200

/** Says of a key when it was last used; null: not lately; undefined where the page does not know. */
export function useLastUse(fid: number | undefined): (key: string) => string | null | undefined {
  const [times, setTimes] = useState<ReadonlyMap<string, number>>()
  useEffect(() => {
    if (fid === undefined) return
    let isCurrent = true
    newestUses(fid).then(
      (found) => isCurrent && setTimes(found),
      () => {},
    )
    return () => {
      isCurrent = false
    }
  }, [fid])
  return (key) => {
    if (!times) return undefined
    const at = times.get(key)
    return at === undefined ? null : dateText(at)
  }
}

/** The hub is beside the platform at the front door; on its own port the page has no hub. */
async function newestUses(fid: number): Promise<Map<string, number>> {
  const lists = await Promise.all(
    LISTS.map(async (path) => {
      const response = await fetch(`../../hub/v1/${path}fid=${fid}&pageSize=${NEWEST}&reverse=1`)
      if (!response.ok) throw new Error(`the hub answered ${response.status}`)
      return ((await response.json()) as { messages: Message[] }).messages
    }),
  )
  const times = new Map<string, number>()
  for (const { signer, data } of lists.flat()) {
    const at = data.timestamp + EPOCH_SECONDS
    if (at > (times.get(signer) ?? 0)) times.set(signer, at)
  }
  return times
}
