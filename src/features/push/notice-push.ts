import { toHex } from '../../kernel/protocol/codec/bytes.ts'
import type { DeviceNotice } from '../../kernel/storage/reads/app-notices.ts'
import type { SeenKind } from '../../kernel/storage/tables/apps.ts'
import { hashOfKey, nameOfKey } from '../app-api/keys.ts'
import { kindNamesOf } from '../app-api/notifications.ts'
import type { Hydrated } from '../app-api/objects/hydrate.ts'
import type { Cast, User } from '../app-api/schemas.ts'
import type { PushNotice } from './push-notice.ts'

// What a device shows of notices.

const VERBS: Record<SeenKind, string> = {
  replies: 'replied to you',
  quotes: 'quoted you',
  mentions: 'mentioned you',
  likes: 'liked your cast',
  recasts: 'recast your cast',
  follows: 'followed you',
}

/** The pushes for notices of one account, of which those that belong together are one. */
export function pushesOf(notices: readonly DeviceNotice[], found: Hydrated): PushNotice[] {
  const together = new Map<string, DeviceNotice[]>()
  for (const notice of notices) {
    const tag = tagOf(notice)
    together.set(tag, [...(together.get(tag) ?? []), notice])
  }
  return [...together].flatMap(([tag, group]) => pushOf(tag, group, found) ?? [])
}

/** Likes and recasts of one cast belong together, and so do follows. */
function tagOf({ kind, id, key }: DeviceNotice): string {
  const { seen } = kindNamesOf(kind)
  if (seen === 'follows') return seen
  return seen === 'likes' || seen === 'recasts' ? `${seen} ${nameOfKey(key!)}` : `${id}`
}

function pushOf(
  tag: string,
  group: readonly DeviceNotice[],
  found: Hydrated,
): PushNotice | undefined {
  const { fid, kind, key } = group[0]!
  const { seen } = kindNamesOf(kind)
  const [first, ...others] = group.flatMap(({ actor }) => found.user(actor) ?? [])
  // Casts with muted words, in muted channels or hidden meanwhile are not told.
  const cast = key ? found.unmutedCast(key) : undefined
  if (!first || (key && !cast)) return undefined
  const more = others.length === 0 ? '' : ` and ${others.length} more`
  return {
    ...{ fid, kind: seen, tag, actor: key && cast ? cast.author.fid : first.fid },
    title: `${nameOf(first)}${more} ${VERBS[seen]}`,
    body: cast ? textOf(cast) : `@${first.username}`,
    url: key ? `/cast/${toHex(hashOfKey(key))}` : pathOf(first, others.length > 0),
  }
}

const nameOf = ({ display_name, username }: User): string => display_name || `@${username}`

const textOf = ({ text, embeds }: Cast): string =>
  text || (embeds.length > 0 ? 'A picture or a link' : 'A cast without text')

const pathOf = ({ username }: User, isSeveral: boolean): string =>
  isSeveral ? '/notifications' : `/@${encodeURIComponent(username)}`
