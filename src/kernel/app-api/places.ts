import { urlTargetKey } from '../protocol/slots.ts'
import type { PlaceRules } from '../storage/reads/app-feeds.ts'
import { moderatorsOf } from './channels.ts'
import type { AppContext } from './context.ts'
import { nameOfKey } from './keys.ts'

// The views number the parent urls of casts: the number is a place. The casts of a channel have its url as parent.

/** The places of parent urls; urls that no cast has are missing. */
export async function placesOf(
  { storage }: AppContext,
  urls: readonly string[],
): Promise<number[]> {
  const places = await storage.appViews.places([...new Set(urls)].map(urlTargetKey))
  return places.map(({ id }) => id)
}

/**
 * The place that a list is narrowed to by a parent url or, without one, by a channel: undefined without either, null
 * when no cast is there.
 */
export async function placeOf(
  context: AppContext,
  { parentUrl, channelId }: { parentUrl: string | undefined; channelId: string | undefined },
): Promise<number | null | undefined> {
  if (parentUrl === undefined && channelId === undefined) return undefined
  const url = parentUrl ?? (await context.channelCache.refresh()).byId.get(channelId!)?.url
  if (url === undefined) return null
  const [place] = await placesOf(context, [url])
  return place ?? null
}

/** The places of channels with the rules of each. */
export async function placesOfChannels(
  { storage, channelCache }: AppContext,
  ids: readonly string[],
  { membersOnly, shouldModerate = false }: { membersOnly: boolean; shouldModerate?: boolean },
): Promise<PlaceRules[]> {
  const { byId } = await channelCache.refresh()
  const channels = [...new Set(ids)].flatMap((id) => byId.get(id) ?? [])
  const targets = channels.map(({ url }) => urlTargetKey(url))
  const found = await storage.appViews.places(targets)
  const places = new Map(found.map(({ id, target }) => [nameOfKey(target), id]))
  return channels.flatMap((channel, i) => {
    const place = places.get(nameOfKey(targets[i]!))
    if (place === undefined) return []
    return {
      place,
      channelId: channel.id,
      membersOnly: membersOnly && channel.public_casting === 0,
      ...(shouldModerate && { likedBy: moderatorsOf(channel) }),
    }
  })
}
