import { fromBinary } from '@bufbuild/protobuf'
import { hubEventBytes } from '../../kernel/hub/reads/protobuf-presenter.ts'
import { isRemove, MESSAGE_SETS } from '../../kernel/protocol/slots.ts'
import { unixMsOf } from '../../kernel/protocol/time.ts'
import { type HubEvent, HubEventSchema } from '../../kernel/protocol/wire/hub_event_pb.js'
import {
  type Message,
  type MessageData,
  MessageDataSchema,
  MessageType,
  type UserNameProof,
} from '../../kernel/protocol/wire/message_pb.js'
import type { StoredMessage } from '../../kernel/storage/messages/stored-message.ts'
import type { AuthorPosition } from '../../kernel/storage/reads/exports.ts'
import type { Storage } from '../../kernel/storage/storage.ts'
import type { StoredChainEvent } from '../../kernel/storage/tables/accounts.ts'
import type { StoredNameProof } from '../../kernel/storage/tables/name-proofs.ts'
import type { ToldName } from '../../kernel/storage/upstream.ts'
import { mirrorNameRows } from '../mirror/port.ts'
import { accountItems, keyItem } from './account-rows.ts'
import { itemOf, nameType, tableOfType, type UnreadItem, unreadItem } from './message-rows.ts'
import { hexText, type Item, type Row, type TableName } from './tables.ts'

/** Rows of one statement. A message has at most some 64 KiB. */
const ROWS_PER_PAGE = 250
/** Bytes of events of one statement. */
const EVENT_BYTES = 8 * 1024 * 1024

export type Range = {
  /** Only rows of these. */
  readonly fids: readonly number[] | undefined
  /** The newest event that counts. */
  readonly untilId: number
}

/** Everything that is stored now, in pages. */
export async function* everything(
  storage: Storage,
  range: Range,
): AsyncGenerator<(Item | UnreadItem)[]> {
  for await (const messages of storedMessages(storage, range)) yield messages.flatMap(storedItem)
  for await (const events of chainEventsByFid(storage, range)) yield events
  yield* names(storage, range)
  yield* mirroredNames(storage, range)
}

/** Rows of messages are made where they are written, but for keys: their metadata need modules that no thread loads. */
function storedItem(message: StoredMessage): (Item | UnreadItem)[] {
  if (message.type !== MessageType.KEY_ADD) return unreadItem(message)
  const { data, hash, id } = message
  const item = keyItem({ data: fromBinary(MessageDataSchema, data), hash, eventId: id })
  return item ? [item] : []
}

async function* storedMessages(
  { exports }: Storage,
  { fids, untilId }: Range,
): AsyncGenerator<StoredMessage[]> {
  if (fids) {
    for (const fid of fids) {
      for (const store of Object.values(MESSAGE_SETS)) {
        yield* messagesOf(exports, { fid, store }, untilId)
      }
    }
    return
  }
  for (let after = 0; ; ) {
    const page = await exports.messages(after, untilId, ROWS_PER_PAGE)
    if (page.length > 0) yield page
    if (page.length < ROWS_PER_PAGE) return
    after = page.at(-1)!.id
  }
}

async function* messagesOf(
  exports: Storage['exports'],
  list: { readonly fid: number; readonly store: number },
  untilId: number,
): AsyncGenerator<StoredMessage[]> {
  let position: AuthorPosition | undefined = { timestamp: -1, hashKey: new Uint8Array(0) }
  while (position) {
    const page: Awaited<ReturnType<typeof exports.messagesOf>> = await exports.messagesOf(
      list,
      position,
      untilId,
      ROWS_PER_PAGE,
    )
    if (page.messages.length > 0) yield page.messages
    position = page.end
  }
}

/** Rows of accounts; the events of one fid are never divided. */
async function* chainEventsByFid(storage: Storage, { fids }: Range): AsyncGenerator<Item[]> {
  const { exports } = storage
  if (fids) {
    yield byFid(await exports.chainEventsOf(fids)).flatMap((own) => accountItems(own, null))
    return
  }
  let rest: StoredChainEvent[] = []
  let after = { fid: 0, type: 0, block_number: 0, log_index: 0 }
  for (;;) {
    const page = await exports.chainEvents(after, ROWS_PER_PAGE)
    const groups = byFid([...rest, ...page])
    const isLast = page.length < ROWS_PER_PAGE
    rest = isLast ? [] : (groups.pop() ?? [])
    yield groups.flatMap((own) => accountItems(own, null))
    if (isLast) return
    after = page.at(-1)!
  }
}

const byFid = (events: readonly StoredChainEvent[]): StoredChainEvent[][] => [
  ...Map.groupBy(events, ({ fid }) => fid).values(),
]

async function* names(storage: Storage, { fids }: Range): AsyncGenerator<Item[]> {
  if (fids) {
    for (const fid of fids) {
      yield (await storage.nameProofs.byFid(fid)).map((proof) => nameItem(proof, null))
    }
    return
  }
  const { exports } = storage
  for await (const page of pagesByName((after) => exports.names(after, ROWS_PER_PAGE))) {
    // Fid 0 holds names that are free.
    yield page.filter(({ fid }) => fid !== 0).map((proof) => nameItem(proof, null))
  }
}

/** Names that a mirror knows by the word of its source alone, without a message. No event tells of them. */
async function* mirroredNames(storage: Storage, { fids }: Range): AsyncGenerator<Item[]> {
  const item = (name: ToldName) => nameItem(name, null, nameType(name.type))
  if (fids) {
    for (const fid of fids) yield (await storage.of(mirrorNameRows).byFid(fid)).map(item)
    return
  }
  const names = storage.of(mirrorNameRows)
  for await (const page of pagesByName((after) => names.after(after, ROWS_PER_PAGE))) {
    yield page.map(item)
  }
}

async function* pagesByName<T extends { readonly name: Uint8Array }>(
  read: (after: Uint8Array) => Promise<T[]>,
): AsyncGenerator<T[]> {
  for (let after = new Uint8Array(0); ; ) {
    const page = await read(after)
    yield page
    if (page.length < ROWS_PER_PAGE) return
    after = Uint8Array.from(page.at(-1)!.name)
  }
}

const nameItem = (
  proof: Pick<StoredNameProof, 'name' | 'fid' | 'owner' | 'timestamp'>,
  eventId: number | null,
  type = 'fname',
): Item => ({
  table: 'usernames',
  row: {
    fid: proof.fid,
    hash: null,
    timestamp: proof.timestamp,
    event_id: eventId,
    name: Buffer.from(proof.name).toString(),
    type,
    owner: hexText(proof.owner),
  },
})

/** What happened after an event: rows that are new, and what is gone, in the order of events; then names without events. */
export async function* changes(
  storage: Storage,
  sinceId: number,
  range: Range,
): AsyncGenerator<Item[]> {
  yield* changesOfEvents(storage, sinceId, range)
  yield* mirroredNames(storage, range)
}

async function* changesOfEvents(
  storage: Storage,
  sinceId: number,
  { fids, untilId }: Range,
): AsyncGenerator<Item[]> {
  const isAsked = fids && new Set(fids)
  for (let from = sinceId + 1; ; ) {
    const events = await storage.published.events.list(from, ROWS_PER_PAGE, EVENT_BYTES)
    const known = events.filter(({ id }) => id <= untilId)
    const accounts = new Map<number, number>()
    const items = known.flatMap((stored) => {
      const event = fromBinary(HubEventSchema, hubEventBytes(stored))
      if (event.body.case === 'mergeOnChainEventBody') {
        accounts.set(Number(event.body.value.onChainEvent?.fid ?? 0), stored.id)
      }
      return itemsOfEvent(event, stored.id)
    })
    const touched = await accountsOf(storage, accounts)
    yield [...items, ...touched].filter(({ row }) => !isAsked || isAsked.has(row.fid as number))
    if (known.length < events.length || events.length === 0) return
    from = events.at(-1)!.id + 1
  }
}

/** All rows of accounts about which an on-chain event came, as they are now. */
async function accountsOf(
  { exports }: Storage,
  accounts: ReadonlyMap<number, number>,
): Promise<Item[]> {
  if (accounts.size === 0) return []
  const events = await exports.chainEventsOf([...accounts.keys()])
  return byFid(events).flatMap((own) => accountItems(own, accounts.get(own[0]!.fid)!))
}

function itemsOfEvent({ body }: HubEvent, eventId: number): Item[] {
  switch (body.case) {
    case 'mergeMessageBody': {
      const { message, deletedMessages } = body.value
      const data = dataOf(message)
      const reason = data && isRemove(data.type) ? 'deleted' : 'replaced'
      return [
        ...deletedMessages.flatMap((one) => removalOf(one, eventId, reason)),
        ...addedBy(message, eventId),
      ]
    }
    case 'pruneMessageBody':
      return removalOf(body.value.message, eventId, 'pruned')
    case 'revokeMessageBody':
      return removalOf(body.value.message, eventId, 'revoked')
    case 'mergeUsernameProofBody': {
      const { usernameProofMessage, deletedUsernameProofMessage } = body.value
      return [
        ...removalOf(deletedUsernameProofMessage, eventId, 'replaced'),
        ...addedBy(usernameProofMessage, eventId),
        ...(usernameProofMessage || deletedUsernameProofMessage
          ? []
          : nameChange(body.value.usernameProof, body.value.deletedUsernameProof, eventId)),
      ]
    }
    default:
      return []
  }
}

function nameChange(
  proof: UserNameProof | undefined,
  deleted: UserNameProof | undefined,
  eventId: number,
): Item[] {
  const about = proof ?? deleted
  if (!about) return []
  const name = Buffer.from(about.name).toString()
  const timestamp = Number(about.timestamp)
  const isHeld = proof !== undefined && proof.fid !== 0n
  // Held by nobody, or by another fid: an export of the first one's rows has to lose it.
  const isLost = deleted && deleted.fid !== (isHeld ? proof.fid : 0n)
  return [
    ...(isLost
      ? [
          removal(
            'usernames',
            { fid: Number(deleted.fid), hash: null, timestamp, name },
            eventId,
            isHeld ? 'replaced' : 'deleted',
          ),
        ]
      : []),
    ...(isHeld ? [nameItem({ ...proof, fid: Number(proof.fid), timestamp }, eventId)] : []),
  ]
}

function addedBy(message: Message | undefined, eventId: number): Item[] {
  const data = dataOf(message)
  const added = data && { data, hash: message!.hash, eventId }
  const item = added && (keyItem(added) ?? itemOf(added))
  return item ? [item] : []
}

function removalOf(message: Message | undefined, eventId: number, reason: string): Item[] {
  const data = dataOf(message)
  const table = data && tableOfType(data.type)
  if (!table) return []
  const fid = Number(data.fid)
  const timestamp = unixMsOf(data.timestamp) / 1000
  const named = data.body.case === 'usernameProofBody' ? data.body.value.name : undefined
  const name = named ? Buffer.from(named).toString() : null
  return [removal(table, { fid, hash: hexText(message!.hash), timestamp, name }, eventId, reason)]
}

const removal = (
  kind: TableName,
  row: Pick<Row, 'fid' | 'hash' | 'timestamp' | 'name'>,
  eventId: number,
  reason: string,
): Item => ({ table: 'removals', row: { ...row, event_id: eventId, kind, reason } })

/** What a message says: in `data`, or in the bytes that were signed. */
function dataOf(message: Message | undefined): MessageData | undefined {
  if (!message) return undefined
  return message.dataBytes?.length ? fromBinary(MessageDataSchema, message.dataBytes) : message.data
}
