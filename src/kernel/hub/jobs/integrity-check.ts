import { fromBinary } from '@bufbuild/protobuf'
import { equalBytes, toHex } from '../../protocol/codec/bytes.ts'
import { verifyEd25519 } from '../../protocol/crypto/ed25519.ts'
import { hashOf } from '../../protocol/crypto/hash.ts'
import { HubEventSchema, HubEventType } from '../../protocol/wire/hub_event_pb.js'
import type { StoredEvent } from '../../storage/messages/events.ts'
import { fromStored, toStored } from '../../storage/messages/message-rows.ts'
import type { NewMessage, StoredMessage } from '../../storage/messages/messages.ts'
import type { Storage } from '../../storage/storage.ts'
import type { Readable } from '../kinds/effects.ts'
import { ALL_EFFECTS, byEffects, mergeEventOf } from '../kinds/kinds.ts'
import { Findings } from './findings.ts'
import { checkAccounts } from './integrity-check-accounts.ts'
import { hasUnreadable, isUnreadable } from './unreadable-messages.ts'

/** What a check of a store found. */
export type Report = {
  readonly messages: number
  readonly events: number
  readonly accounts: number
  /** How many differences there are in all; 0 for a store that is as it should be. */
  readonly differences: number
  /** How many of each kind. */
  readonly kinds: Readonly<Record<string, number>>
  /** Whether the views were recounted; views that are behind are not. They continue when the server starts. */
  readonly views: 'counted' | 'behind' | 'off'
  /** A sentence for each of the first MAX_EXAMPLES. */
  readonly examples: readonly string[]
}

type VerifyOptions = {
  /** The only network whose messages are taken; undefined: any. */
  readonly network: number | undefined
  readonly onProgress?: ((done: number, total: number) => void) | undefined
}

const ROWS_PER_STEP = 500

/**
 * Rebuilds from the stored bytes everything that was derived from them (slots, lists, counters, events,
 * account state) and reports where the store says something else. Memory does not grow with the number
 * of messages. The store must not be written meanwhile.
 */
export async function verifyStore(
  storage: Storage,
  { network, onProgress = () => {} }: VerifyOptions,
): Promise<Report> {
  const found = new Findings()
  const rows = await storage.audit.rowCounts()
  const total = rows.messages + rows.events + rows.chainEvents
  let done = 0
  const step = (count: number) => {
    done += count
    onProgress(done, total)
  }
  step(0)
  const messages = await checkMessages(storage, network, found, step)
  await checkRowCounts(storage, found)
  await checkLostMentions(storage, found)
  for (const { verifyRows } of ALL_EFFECTS) await verifyRows?.(storage, found)
  for (const check of storage.schema?.checks ?? []) await check(storage, found.add)
  const views = await checkViews(storage, found)
  const events = await checkEvents(storage, found, step)
  const accounts = await checkAccounts(storage, found, step)
  const { total: differences, kinds, examples } = found
  return { messages, events, accounts, differences, kinds, views, examples }
}

async function checkViews(
  { settings, views, events, audit }: Storage,
  found: Findings,
): Promise<Report['views']> {
  if (!settings.views) return 'off'
  const position = await views.position()
  const { newestId } = await events.logState(position?.cursor ?? 0)
  if (!position || position.build || position.cursor !== newestId) return 'behind'
  for (const { what, count } of await audit.recountViews()) {
    found.add('views', `${what}: ${count} too few, too many or wrong. Run: rookery views rebuild`)
  }
  return 'counted'
}

async function checkRowCounts({ audit }: Storage, found: Findings): Promise<void> {
  for (const { name, kept, rows } of await audit.wrongTotals()) {
    found.add('row count', `${name}: ${rows}, its kept count is ${kept}`)
  }
}

async function checkMessages(
  storage: Storage,
  network: number | undefined,
  found: Findings,
  step: (count: number) => void,
): Promise<number> {
  const newestId = await storage.events.newestId()
  const oldestEvent = (await storage.events.oldestId()) ?? Number.POSITIVE_INFINITY
  const counts = new Counts()
  let count = 0
  for (let afterId = -1; ; ) {
    const rows = await storage.messages.scan(afterId, ROWS_PER_STEP)
    if (rows.length === 0) break
    const readable = rows.flatMap((row) => checkMessage(row, network, found))
    for (const row of rows) {
      counts.add(row)
      if (row.id > newestId) found.add('message id', `${nameOf(row)} is newer than ${newestId}`)
    }
    await checkMentions(storage, readable, found)
    for (const [{ verify }, own] of byEffects(readable, ({ row }) => row.store)) {
      await verify?.(storage, own, found)
    }
    await checkMergeEvents(storage, rows, oldestEvent, found)
    afterId = rows.at(-1)!.id
    count += rows.length
    step(rows.length)
  }
  await counts.compare(storage, found)
  return count
}

type Compared = Readable & { readonly expected: NewMessage }

/** Nothing when the bytes cannot be read: then nothing else can be rebuilt from them. */
function checkMessage(
  row: StoredMessage,
  network: number | undefined,
  found: Findings,
): Compared[] {
  const { hash, signature, signer, data } = row
  if (!equalBytes(hashOf(data), hash)) {
    found.add('message hash', `${nameOf(row)} is not the hash of its data`)
  } else if (!verifyEd25519(signature, hash, signer) && !verifyEd25519(signature, data, signer)) {
    found.add('message signature', `${nameOf(row)} is not signed by its signer`)
  }
  try {
    const message = fromStored(row)
    // The row's fid is a column like others: what counts is who the data says it is from.
    const expected = toStored({ ...message, fid: Number(message.data.fid) }, row.id)
    for (const column of ['fid', 'store', 'type', 'timestamp', 'slot', 'target'] as const) {
      if (!same(row[column], expected[column])) {
        found.add(`message ${column}`, `${nameOf(row)} says otherwise than its data`)
      }
    }
    if (isUnreadable(data)) {
      found.add('unreadable message', `${nameOf(row)} cannot be read by published clients`)
    }
    if (network !== undefined && message.data.network !== network) {
      found.add('message network', `${nameOf(row)} is of network ${message.data.network}`)
    }
    return [{ row, message, expected, name: nameOf(row) }]
  } catch (error) {
    found.add('message data', `${nameOf(row)} cannot be read: ${(error as Error).message}`)
    return []
  }
}

async function checkMentions(
  storage: Storage,
  readable: readonly Compared[],
  found: Findings,
): Promise<void> {
  const stored = await storage.audit.mentionsOf(readable.map(({ row }) => row.id))
  const byMessage = Map.groupBy(stored, ({ id }) => id)
  for (const { row, expected } of readable) {
    const mentions = byMessage.get(row.id) ?? []
    const right = mentions.filter(
      (mention) =>
        expected.mentions.includes(mention.mentioned) &&
        mention.timestamp === row.timestamp &&
        mention.fid === row.fid &&
        equalBytes(mention.hash, row.hash),
    )
    if (mentions.length > right.length || right.length < expected.mentions.length) {
      const sentence = `${nameOf(row)} is listed for ${right.length} of its ${expected.mentions.length} mentions, wrongly for ${mentions.length - right.length}`
      found.add('mention', sentence)
    }
  }
}

async function checkLostMentions(storage: Storage, found: Findings): Promise<void> {
  for (const { mentioned, id } of await storage.audit.lostMentions(ROWS_PER_STEP)) {
    found.add('mention', `message ${id}, which mentions ${mentioned}, is not there`)
  }
}

/** Every message that is as young as the oldest event has the event of its merge. */
async function checkMergeEvents(
  storage: Storage,
  rows: readonly StoredMessage[],
  oldestEvent: number,
  found: Findings,
): Promise<void> {
  const young = rows.filter(({ id }) => id >= oldestEvent)
  const types = new Map(
    (await storage.audit.eventTypes(young.map(({ id }) => id))).map(({ id, type }) => [id, type]),
  )
  for (const row of young) {
    const type = types.get(row.id)
    if (type === undefined) found.add('merge event', `${nameOf(row)} has none`)
    else if (type !== mergeEventOf(row.store)) {
      found.add('merge event', `${nameOf(row)} has an event of type ${type}`)
    }
  }
}

/** How many messages each author has in each store: one number each, the only thing that is kept. */
class Counts {
  readonly #counts = new Map<string, number>()

  add({ fid, store }: StoredMessage): void {
    const key = `${fid}/${store}`
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
  }

  async compare(storage: Storage, found: Findings): Promise<void> {
    for (let after = { fid: -1, store: 0 }; ; ) {
      const rows = await storage.audit.usageAfter(after, ROWS_PER_STEP)
      if (rows.length === 0) break
      for (const { fid, store, count } of rows) {
        this.#report(found, `${fid}/${store}`, count)
        this.#counts.delete(`${fid}/${store}`)
      }
      after = rows.at(-1)!
    }
    for (const key of this.#counts.keys()) this.#report(found, key, 0)
  }

  #report(found: Findings, key: string, counter: number): void {
    const count = this.#counts.get(key) ?? 0
    if (count === counter) return
    found.add('usage', `fid/store ${key} has ${count} messages, its counter says ${counter}`)
  }
}

async function checkEvents(
  storage: Storage,
  found: Findings,
  step: (count: number) => void,
): Promise<number> {
  const newestId = await storage.events.newestId()
  let count = 0
  for (let fromId = 0; ; ) {
    const events = await storage.events.list(fromId, ROWS_PER_STEP)
    if (events.length === 0) return count
    for (const event of events) {
      if (event.id > newestId || event.id <= 0) {
        found.add('event id', `event ${event.id} is not between 1 and ${newestId}`)
      }
      checkEvent(event, found)
    }
    fromId = events.at(-1)!.id + 1
    count += events.length
    step(events.length)
  }
}

function checkEvent(event: StoredEvent, found: Findings): void {
  const { id, type, body, message, deleted, merged } = event
  try {
    if (hasUnreadable(event)) {
      found.add('unreadable event', `event ${id} has a message that published clients cannot read`)
    }
    if (body && fromBinary(HubEventSchema, body).type !== type) {
      found.add('event body', `event ${id} of type ${type} has another body`)
    }
  } catch (error) {
    found.add('event bytes', `event ${id} cannot be read: ${(error as Error).message}`)
  }
  if (merged && (message || body)) {
    found.add('event message', `event ${id} has a copy of a message that is there`)
  }
  // The event of a removed name proof names the deleted proof alone.
  const says = body || message || merged || (type === HubEventType.MERGE_USERNAME_PROOF && deleted)
  if (!says) found.add('event message', `event ${id} of type ${type} has lost what it is about`)
}

function same(a: unknown, b: unknown): boolean {
  if (a instanceof Uint8Array && b instanceof Uint8Array) return equalBytes(a, b)
  return a === b
}

const nameOf = (row: StoredMessage) => `message ${row.id} (fid ${row.fid}, ${toHex(row.hash)})`
