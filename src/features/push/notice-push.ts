import { hashOfKey } from '../../kernel/app-api/keys.ts'
import type { Hydrated } from '../../kernel/app-api/objects/hydrate.ts'
import type { Cast, User } from '../../kernel/app-api/schemas.ts'
import type { Say } from '../../kernel/http/translator.ts'
import { toHex } from '../../kernel/protocol/codec/bytes.ts'
import { bundleOf, type NewNotice } from '../../kernel/storage/reads/app-notices.ts'
import { type NoticeType, noticeKindOf } from '../../kernel/storage/views/notice-kinds.ts'
import type { PushNotice } from './push-notice.ts'

// What a device shows of notices.

/** The pushes for notices of one account, of which those that belong together are one. */
export function pushesOf(notices: readonly NewNotice[], found: Hydrated, say: Say): PushNotice[] {
  const together = new Map<string, NewNotice[]>()
  for (const notice of notices) {
    const tag = bundleOf(notice)
    together.set(tag, [...(together.get(tag) ?? []), notice])
  }
  return [...together].flatMap(([tag, some]) => pushOf(tag, some, found, say) ?? [])
}

function pushOf(
  tag: string,
  notices: readonly NewNotice[],
  found: Hydrated,
  say: Say,
): PushNotice | undefined {
  const { fid, kind, key } = notices[0]!
  const { group, type } = noticeKindOf(kind)
  const [first, ...others] = notices.flatMap(({ actor }) => found.user(actor) ?? [])
  // Casts with muted words, in muted channels or hidden meanwhile are not told.
  const cast = key ? found.unmutedCast(key) : undefined
  if (!first || (key && !cast)) return undefined
  return {
    ...{ fid, kind: group, tag, actor: key && cast ? cast.author.fid : first.fid },
    title: TITLES[type](say, nameOf(first), others.length),
    body: cast ? textOf(cast, say) : `@${first.username}`,
    url: key ? `/cast/${toHex(hashOfKey(key))}` : pathOf(first, others.length > 0),
  }
}

const nameOf = ({ display_name, username }: User): string => display_name || `@${username}`

const textOf = ({ text, embeds }: Cast, say: Say): string =>
  text || (embeds.length > 0 ? say('A picture or a link') : say('{Post} without text'))

/** As the list of notifications says it. */
const TITLES: Readonly<Record<NoticeType, (say: Say, who: string, others: number) => string>> = {
  follows: (say, who, others) =>
    others === 0
      ? say('{who} followed you', { who })
      : say(
          '{others, plural, one {{who} and # other followed you} other {{who} and # others followed you}}',
          { who, others },
        ),
  likes: (say, who, others) =>
    others === 0
      ? say('{who} liked your {post}', { who })
      : say(
          '{others, plural, one {{who} and # other liked your {post}} other {{who} and # others liked your {post}}}',
          { who, others },
        ),
  recasts: (say, who, others) =>
    others === 0
      ? say('{who} {reposted} your {post}', { who })
      : say(
          '{others, plural, one {{who} and # other {reposted} your {post}} other {{who} and # others {reposted} your {post}}}',
          { who, others },
        ),
  mention: (say, who) => say('{who} mentioned you', { who }),
  reply: (say, who) => say('{who} replied to you', { who }),
  quote: (say, who) => say('{who} quoted you', { who }),
}

const pathOf = ({ username }: User, isSeveral: boolean): string =>
  isSeveral ? '/notifications' : `/@${encodeURIComponent(username)}`
