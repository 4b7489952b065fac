import { equalBytes, fromHex } from '../../kernel/protocol/codec/bytes.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import type { StoredMessage } from '../../kernel/storage/messages/messages.ts'
import type { Reader, Writer } from '../../kernel/storage/storage.ts'
import { reportRows } from '../moderation-records/port.ts'
import { moderates, roleOf } from './channel-rules.ts'
import { type ChannelContext, getChannel, nextVersion } from './context.ts'
import { MAX_CAST_DEPTH } from './limits.ts'
import type { Moderation, ModerationAction, StoredChannel } from './tables/channels.ts'
import { channelRows } from './tables/channels.ts'

/** Moderation of casts: hiding them from the channel's feed and pinning one above it. */
export function createCasts({ storage, now }: ChannelContext) {
  /** Runs `work` under the lock of a channel, with its current row. Throws unless the actor moderates it. */
  const inChannel = (
    channelId: string,
    actorFid: number,
    work: (tx: Writer, channel: StoredChannel) => Promise<void>,
  ): Promise<void> =>
    storage.write(`channel/${channelId}`, async (tx) => {
      const channel = await getChannel(tx, channelId)
      await checkModerates(tx, channel, actorFid)
      await work(tx, channel)
    })

  /** The same for the channel of a cast. */
  const inChannelOf = async (
    castHash: string,
    actorFid: number,
    work: (tx: Writer, channel: StoredChannel, cast: StoredMessage) => Promise<void>,
  ): Promise<void> => {
    const { id } = await getChannelOf(storage, await getCast(storage, castHash), castHash)
    await inChannel(id, actorFid, async (tx, channel) =>
      work(tx, channel, await getCast(tx, castHash)),
    )
  }

  return {
    moderate: (actorFid: number, castHash: string, action: ModerationAction): Promise<void> =>
      inChannelOf(castHash, actorFid, async (tx, channel, cast) => {
        const latest = await tx.of(channelRows).latestModeration(channel.id, cast.hash)
        const isOwn = cast.fid === actorFid
        if (action === (latest?.action ?? 'unhide')) {
          // The cast stays visible. If it was reported after the last decision, this is stored as a new decision.
          const after = latest?.moderated_at ?? 0
          if (action === 'hide' || isOwn || !(await tx.of(reportRows).isReported(cast, after)))
            return
        }
        if (isOwn && action === 'unhide') checkHiddenByAuthor(cast, latest)
        await tx.of(channelRows).addModeration({
          id: await tx.nextPlatformId(),
          channel_id: channel.id,
          cast_hash: cast.hash,
          action,
          moderated_at: now(),
          by_fid: actorFid,
        })
      }),
    /** Replaces the pinned cast, if there is one. */
    pin: (actorFid: number, castHash: string): Promise<void> =>
      inChannelOf(castHash, actorFid, (tx, channel, cast) => setPin(tx, channel, cast.hash)),
    unpinChannel: (actorFid: number, channelId: string): Promise<void> =>
      inChannel(channelId, actorFid, (tx, channel) => setPin(tx, channel, null)),
    /** Works for a cast that its author has deleted, too. */
    async unpinCast(actorFid: number, castHash: string): Promise<void> {
      const hash = fromHex(castHash)
      const pinning = hash && (await storage.of(channelRows).pinning(hash))
      if (!pinning) {
        await getCast(storage, castHash)
        return
      }
      await inChannel(pinning.id, actorFid, async (tx, channel) => {
        // Another cast may have been pinned in its place meanwhile.
        if (equalBytes(channel.pinned_hash ?? NO_PIN, hash)) await setPin(tx, channel, null)
      })
    },
  }
}

async function getCast(
  { published: { messages } }: Reader,
  castHash: string,
): Promise<StoredMessage> {
  const hash = fromHex(castHash)
  const cast = hash && (await messages.castByHash(hash))
  if (!cast) throw new Rejection('not_found', `Cast ${castHash} does not exist`)
  return cast
}

async function getChannelOf(
  { of }: Reader,
  { fid, hash }: StoredMessage,
  castHash: string,
): Promise<StoredChannel> {
  const channel = await of(channelRows).ofCast(fid, hash, MAX_CAST_DEPTH)
  if (!channel) throw new Rejection('not_found', `Cast ${castHash} is in no channel`)
  return channel
}

async function checkModerates({ of }: Reader, channel: StoredChannel, fid: number): Promise<void> {
  const row = await of(channelRows).membership(channel.id, fid)
  if (moderates(roleOf(channel, fid, row?.standing))) return
  throw new Rejection('unauthorized', `FID ${fid} does not moderate channel ${channel.id}`)
}

/** Nobody decides about themselves. Authors may hide their own casts, and show those again. */
function checkHiddenByAuthor({ fid }: StoredMessage, latest: Moderation | undefined): void {
  if (latest?.by_fid === fid) return
  const text = `FID ${fid} wrote the cast: somebody else who moderates the channel has to show it`
  throw new Rejection('unauthorized', text)
}

async function setPin(tx: Writer, channel: StoredChannel, hash: Uint8Array | null): Promise<void> {
  if (equalBytes(channel.pinned_hash ?? NO_PIN, hash ?? NO_PIN)) return
  await tx.of(channelRows).put([{ ...channel, pinned_hash: hash }], await nextVersion(tx))
}

const NO_PIN = new Uint8Array(0)
