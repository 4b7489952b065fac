import type { AppContext } from '../../kernel/app-api/context.ts'
import { castKey } from '../../kernel/app-api/keys.ts'
import { hydrate, timeOf } from '../../kernel/app-api/objects/hydrate.ts'
import { fromBase64, fromHex } from '../../kernel/protocol/codec/bytes.ts'
import { dataWithoutContent } from '../../kernel/protocol/codec/without-content.ts'
import { eventTime } from '../../kernel/protocol/event-id.ts'
import { castSlot } from '../../kernel/protocol/slots.ts'
import { MessageType } from '../../kernel/protocol/wire/message_pb.js'
import type { FoundCast } from '../../kernel/storage/reads/app-casts.ts'
import type { ViewDelivery } from '../../kernel/storage/views/views.ts'
import type { Subject } from '../../kernel/views/webhooks/subject.ts'

/**
 * The body that a webhook gets, rendered when it is sent. It is exactly what `JSON.stringify` returns: many receivers
 * parse the body and stringify it again before they check the signature. Undefined when there is nothing to report any
 * more: the author is not published, or a new cast has been removed, hidden or erased since.
 */
export async function payloadOf(
  context: AppContext,
  app: string,
  { type, event }: Pick<ViewDelivery, 'type' | 'event'>,
  subject: Subject,
): Promise<string | undefined> {
  const created_at = Math.floor(eventTime(event) / 1_000)
  const data = await dataOf(context, app, type, subject)
  if (data === undefined) return undefined
  const body =
    subject.kind === 'user'
      ? { created_at, type, event_timestamp: new Date(eventTime(event)).toISOString(), data }
      : { created_at, type, data }
  return JSON.stringify(body)
}

async function dataOf(context: AppContext, app: string, type: string, subject: Subject) {
  const viewer = { app, viewer: undefined }
  switch (subject.kind) {
    case 'cast': {
      const key = castKey(subject.fid, fromHex(subject.hash)!)
      const deleted = type === 'cast.deleted' ? [deletedCast(subject)] : []
      return (await hydrate(context, viewer, { casts: [key], deleted })).cast(key)
    }
    case 'follow': {
      const { fid, targetFid, timestamp } = subject
      const found = await hydrate(context, viewer, { users: [fid, targetFid] })
      const [user, target_user] = [found.userDehydrated(fid), found.userDehydrated(targetFid)]
      if (!user || !target_user) return undefined
      const object = type === 'follow.created' ? 'follow' : 'unfollow'
      return { object, ...timesOf(timestamp), user, target_user }
    }
    case 'reaction': {
      const key = castKey(subject.targetFid, fromHex(subject.targetHash)!)
      const users = [subject.fid, subject.targetFid]
      const found = await hydrate(context, viewer, { users, casts: [key] })
      const user = found.userDehydrated(subject.fid)
      if (!user) return undefined
      return {
        object: 'reaction',
        ...timesOf(subject.timestamp),
        reaction_type: subject.type,
        user,
        cast: found.castDehydrated(key),
      }
    }
    case 'user':
      return (await hydrate(context, viewer, { users: [subject.fid] })).user(subject.fid)
  }
}

const timesOf = (networkSeconds: number) => {
  const time = timeOf(networkSeconds)
  return { event_timestamp: time, timestamp: time }
}

/** The removed cast, without counts, thread and content: the receiver may never have been told what it said. */
function deletedCast({
  fid,
  hash,
  timestamp,
  signer,
  data,
}: Subject & { kind: 'cast' }): FoundCast {
  const bytes = fromHex(hash)!
  return {
    key: castKey(fid, bytes),
    message: {
      ...{ id: 0, fid, store: 1, type: MessageType.CAST_ADD, timestamp, hash: bytes },
      ...{ slot: castSlot(fid, bytes), target: null, signer: fromHex(signer)! },
      ...{ signature: new Uint8Array(0), form: 1, data: dataWithoutContent(fromBase64(data)!) },
    },
    ...{ doc: 0, likes: 0, recasts: 0, replies: 0, quotes: 0 },
    ...{ rootUrl: null, rootKey: null, rootTarget: null },
  }
}
