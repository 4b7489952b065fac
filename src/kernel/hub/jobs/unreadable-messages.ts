import { setImmediate as nextTurn } from 'node:timers/promises'
import { create, toBinary } from '@bufbuild/protobuf'
import type { Clock } from '../../base/clock.ts'
import { checkLease, type JobRun } from '../../jobs/job.ts'
import { decodeList, decodeStored } from '../../protocol/codec/decode.ts'
import { encodeEnvelope, encodeList } from '../../protocol/codec/envelope.ts'
import { findWireFault } from '../../protocol/codec/wire-rules.ts'
import { withoutContent } from '../../protocol/codec/without-content.ts'
import { firstEventIdAt } from '../../protocol/event-id.ts'
import type { SignedMessage } from '../../protocol/message.ts'
import { DAY_MS } from '../../protocol/time.ts'
import { MessageDataSchema, ReactionType } from '../../protocol/wire/message_pb.js'
import { EventLog } from '../../storage/messages/event-log.ts'
import type { StoredEvent } from '../../storage/messages/events.ts'
import { fromStored } from '../../storage/messages/message-rows.ts'
import type { Storage, Writer } from '../../storage/storage.ts'
import { reactionFields } from '../../views/message-fields.ts'
import { lossesBy } from '../kinds/kinds.ts'
import type { HubMetrics } from '../metrics.ts'
import { appendRemoval, revokeLostClaims } from '../removal.ts'

// Earlier versions accepted messages in encodings that published clients cannot read (decision 0183). Lists and events
// with such a message are lost for these clients. A job of the leader revokes them, and removes their content from
// events, as erasing does: what remains is encoded as usual.

/** Messages or events that are read, or changed in one transaction: others wait no longer than for a batch. */
const BATCH = 500
/** During an upgrade, processes of an earlier version may still accept such messages: at most this long. */
const UPGRADE_MS = DAY_MS

const CURSOR = 'readable-messages'
/** Messages and events up to `checked` are readable. The work ends at `until`. */
type Progress = { readonly checked: number; readonly until: number }

type Options = {
  readonly storage: Storage
  readonly clock: Clock
  readonly metrics: Pick<HubMetrics, 'removed'>
}

/** Whether decoders read the message differently. */
export const isUnreadable = (data: Uint8Array): boolean =>
  findWireFault(MessageDataSchema, data) !== undefined

/** Revokes stored messages that published clients cannot read. Ends for good a day after its first run. */
export async function revokeUnreadable(
  { storage, clock, metrics }: Options,
  { signal, lease }: Pick<JobRun, 'signal' | 'lease'>,
): Promise<void> {
  const kept = await storage.cursors.get(CURSOR)
  const start: Progress = kept
    ? JSON.parse(kept)
    : { checked: 0, until: firstEventIdAt(clock.now() + UPGRADE_MS) }
  if (start.checked >= start.until) return
  const change = <T>(work: (tx: Writer) => Promise<T>): Promise<T> => {
    signal.throwIfAborted()
    return storage.write('hub', async (tx) => {
      if (lease) await checkLease(tx, lease)
      return work(tx)
    })
  }
  // Messages that are replaced meanwhile are found in events.
  const checked = await storage.events.newestId()
  for (let after = start.checked; after < checked; signal.throwIfAborted()) {
    const rows = await storage.messages.scan(after, BATCH)
    if (rows.some(({ data }) => isUnreadable(data))) {
      const from = after
      metrics.removed('unreadable message', await change((tx) => revokeAfter(tx, from, clock)))
    }
    after = rows.at(-1)?.id ?? checked
    // Reads of SQLite are synchronous: other work of this thread runs now.
    await nextTurn()
  }
  for (let from = start.checked; from <= checked; signal.throwIfAborted()) {
    const events = await storage.events.list(from, BATCH)
    if (events.some(hasUnreadable)) {
      const first = from
      await change(async (tx) => {
        const again = await tx.events.list(first, BATCH)
        await tx.events.rewrite(again.filter(hasUnreadable).map(readableEvent))
      })
    }
    from = (events.at(-1)?.id ?? checked) + 1
    await nextTurn()
  }
  await change((tx) => tx.cursors.put(CURSOR, JSON.stringify({ ...start, checked })))
}

/** Revokes the unreadable ones of the next messages. Returns how many there were. */
async function revokeAfter(tx: Writer, after: number, clock: Clock): Promise<number> {
  const log = new EventLog(tx, clock.now())
  const rows = (await tx.messages.scan(after, BATCH)).filter(({ data }) => isUnreadable(data))
  const emptied = rows.map((row) => ({ ...row, ...readable(fromStored(row)) }))
  for (const row of emptied) appendRemoval(log, { ...row, data: row.dataBytes }, 'revoke')
  await tx.events.keepMessages(emptied.map((row) => ({ id: row.id, message: encodeEnvelope(row) })))
  await tx.messages.remove(rows)
  await revokeLostClaims(tx, log, rows.flatMap(lossesBy))
  await log.flush()
  return rows.length
}

/** The event of an unreadable message: its author, its hash, and what the views have to remove. */
function readable(message: SignedMessage): SignedMessage {
  const emptied = withoutContent(message)
  const { body } = emptied.data
  if (body.case !== 'reactionBody' || body.value.target.case !== 'targetCastId') return emptied
  if (reactionFields(message.dataBytes)?.type === body.value.type) return emptied
  // The views read a type above 32 bits as no reaction, so there is nothing to take back.
  const value = { ...body.value, type: ReactionType.NONE }
  const data = create(MessageDataSchema, { ...emptied.data, body: { ...body, value } })
  return { ...emptied, data, dataBytes: toBinary(MessageDataSchema, data) }
}

const hasFault = ({ dataBytes }: SignedMessage) => isUnreadable(dataBytes)

/** Whether an event has its own copy of an unreadable message. */
export const hasUnreadable = ({ message, deleted }: StoredEvent): boolean =>
  (message !== null && hasFault(decodeStored(message))) ||
  (deleted !== null && decodeList(deleted).some(hasFault))

const asReadable = (message: SignedMessage) => (hasFault(message) ? readable(message) : message)

function readableEvent(event: StoredEvent): StoredEvent {
  const { message, deleted } = event
  return {
    ...event,
    message: message && encodeEnvelope(asReadable(decodeStored(message))),
    deleted: deleted && encodeList(decodeList(deleted).map(asReadable)),
  }
}
