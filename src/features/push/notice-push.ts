import { hashOfKey } from '../../kernel/app-api/keys.ts'
import type { Hydrated } from '../../kernel/app-api/objects/hydrate.ts'
import type { Cast, User } from '../../kernel/app-api/schemas.ts'
import { toHex } from '../../kernel/protocol/codec/bytes.ts'
import { inWords, type Vocabulary } from '../../kernel/protocol/vocabulary.ts'
import { bundleOf, type NewNotice } from '../../kernel/storage/reads/app-notices.ts'
import { noticeKindOf } from '../../kernel/storage/views/notice-kinds.ts'
import type { PushNotice } from './push-notice.ts'

// What a device shows of notices.

/** The pushes for notices of one account, of which those that belong together are one. */
export function pushesOf(
  notices: readonly NewNotice[],
  found: Hydrated,
  vocabulary: Vocabulary,
): PushNotice[] {
  const together = new Map<string, NewNotice[]>()
  for (const notice of notices) {
    const tag = bundleOf(notice)
    together.set(tag, [...(together.get(tag) ?? []), notice])
  }
  return [...together].flatMap(([tag, some]) => pushOf(tag, some, found, vocabulary) ?? [])
}

function pushOf(
  tag: string,
  notices: readonly NewNotice[],
  found: Hydrated,
  vocabulary: Vocabulary,
): PushNotice | undefined {
  const { fid, kind, key } = notices[0]!
  const { group, words } = noticeKindOf(kind)
  const [first, ...others] = notices.flatMap(({ actor }) => found.user(actor) ?? [])
  // Casts with muted words, in muted channels or hidden meanwhile are not told.
  const cast = key ? found.unmutedCast(key) : undefined
  if (!first || (key && !cast)) return undefined
  const more = others.length === 0 ? '' : ` and ${others.length} more`
  return {
    ...{ fid, kind: group, tag, actor: key && cast ? cast.author.fid : first.fid },
    title: `${nameOf(first)}${more} ${inWords(words, vocabulary)}`,
    body: cast ? textOf(cast, vocabulary) : `@${first.username}`,
    mail: undefined,
    url: key ? `/cast/${toHex(hashOfKey(key))}` : pathOf(first, others.length > 0),
  }
}

const nameOf = ({ display_name, username }: User): string => display_name || `@${username}`

const textOf = ({ text, embeds }: Cast, vocabulary: Vocabulary): string =>
  text || (embeds.length > 0 ? 'A picture or a link' : inWords('{Post} without text', vocabulary))

const pathOf = ({ username }: User, isSeveral: boolean): string =>
  isSeveral ? '/notifications' : `/@${encodeURIComponent(username)}`
