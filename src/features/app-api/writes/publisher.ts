import type { WritingKey } from '../../../kernel/app-api/ports.ts'
import { buildMessage, type DataInit, type Origin } from '../../../kernel/protocol/build.ts'
import { equalBytes } from '../../../kernel/protocol/codec/bytes.ts'
import type { SignedMessage } from '../../../kernel/protocol/message.ts'
import { Rejection } from '../../../kernel/protocol/rejection.ts'
import { slotOf } from '../../../kernel/protocol/slots.ts'
import { DAY_SECONDS, networkTime, unixMsOf } from '../../../kernel/protocol/time.ts'
import type { StoredMessage } from '../../../kernel/storage/messages/messages.ts'
import type { PlatformPart, Storage } from '../../../kernel/storage/storage.ts'
import type { SubmitAll } from '../ports.ts'
import { type AppIdem, appIdemRows } from '../tables/app-idems.ts'

/** Makes the data of a message. */
export type Build = (origin: Origin) => DataInit

/** What was stored: now, or by an earlier request for the same. */
export type Published = {
  readonly fid: number
  readonly hash: Uint8Array
  /** The event that reports it; undefined when an earlier request stored it and it has been replaced since. */
  readonly eventId: number | undefined
}

type PublisherContext = {
  readonly storage: Storage
  readonly submitAll: SubmitAll
  /** Number of the network that messages are made for. */
  readonly network: number
  /** Unix milliseconds. */
  readonly nowMs: () => number
}

/** How often a message is made anew because another one took its place meanwhile. */
const MAX_ATTEMPTS = 8
const IDEM_SECONDS = DAY_SECONDS

/** Makes messages with an app's keys and stores them through the hub. */
export class Publisher {
  readonly #context: PublisherContext

  constructor(context: PublisherContext) {
    this.#context = context
  }

  /** Stores one message of a key's account. Throws the Rejection when it is refused. */
  async publish(key: WritingKey, build: Build): Promise<Published> {
    return published((await this.publishAll(key, [build]))[0]!)
  }

  /** Stores several. Each gets its own outcome, in order. */
  async publishAll(
    key: WritingKey,
    builds: readonly Build[],
    attempts = MAX_ATTEMPTS,
  ): Promise<(Published | Rejection)[]> {
    const messages = await this.#newer(key, builds)
    const results = await this.#context.submitAll(messages)
    const outcomes = await Promise.all(messages.map((one, i) => this.#outcomeOf(one, results[i]!)))
    const overtaken = outcomes.flatMap((outcome, i) => (isConflict(outcome) ? [i] : []))
    if (overtaken.length === 0 || attempts === 1) return outcomes
    const rebuilt = overtaken.map((i) => builds[i]!)
    const again = await this.publishAll(key, rebuilt, attempts - 1)
    for (const [n, i] of overtaken.entries()) outcomes[i] = again[n]!
    return outcomes
  }

  /**
   * Stores one message for all requests of an app with the same `idem` within a day. Their messages get the
   * time of the first request, so all of them are the same message and it is stored once, whichever request
   * or process is faster and whenever one of them is killed.
   */
  async publishOnce(
    app: string,
    idem: string | undefined,
    key: WritingKey,
    build: Build,
  ): Promise<Published> {
    if (idem === undefined) return this.publish(key, build)
    const { storage, submitAll } = this.#context
    const [first] = await this.#newer(key, [build])
    const rowOf = (message: SignedMessage): AppIdem => ({
      ...{ app, idem, fid: key.fid, hash: message.hash, slot: slotOf(message) },
      created_at: unixMsOf(message.data.timestamp) / 1_000,
    })
    const row = await this.#claim(rowOf(first!))
    const known = await this.#resultOf(row)
    if (known) return known
    const message = this.#build(key, build, timestampOf(row))
    // Another request took the same idem and its message was never stored.
    if (!equalBytes(message.hash, row.hash)) {
      await storage.write(partOf(row), (tx) => tx.of(appIdemRows).put(rowOf(message)))
    }
    const [result] = await submitAll([message])
    const outcome = await this.#outcomeOf(message, result!)
    // A message that was refused as unavailable may be stored by a request that runs at the same time.
    if (outcome instanceof Rejection && !outcome.code.startsWith('unavailable')) {
      await storage.write(partOf(row), (tx) => tx.of(appIdemRows).removeOf(rowOf(message)))
    }
    return published(outcome)
  }

  /** Whether an earlier request of an app with the same `idem` within a day has stored its message. */
  async hasStored(app: string, idem: string | undefined): Promise<boolean> {
    if (idem === undefined) return false
    const { storage, nowMs } = this.#context
    const row = await storage.of(appIdemRows).find(app, idem)
    if (!row || row.created_at <= nowMs() / 1_000 - IDEM_SECONDS) return false
    return (await this.#resultOf(row)) !== undefined
  }

  /** Deletes rows of requests of more than a day ago. Returns how many. */
  deleteExpired(limit: number): Promise<number> {
    const before = Math.floor(this.#context.nowMs() / 1_000) - IDEM_SECONDS
    return this.#context.storage.write('all/apps', (tx) => tx.of(appIdemRows).forget(before, limit))
  }

  #build({ fid, seed }: WritingKey, build: Build, timestamp: number): SignedMessage {
    return buildMessage(build({ fid, timestamp, network: this.#context.network }), seed)
  }

  /**
   * Messages that are newer than what they replace. Timestamps are seconds: without this a like that follows
   * an unlike within the same second would be refused.
   */
  async #newer(key: WritingKey, builds: readonly Build[]): Promise<SignedMessage[]> {
    const now = networkTime(this.#context.nowMs())
    const messages = builds.map((build) => this.#build(key, build, now))
    const slots = messages.map(slotOf)
    const holders = await this.#context.storage.messages.bySlots(slots)
    return messages.map((message, i) => {
      const holder = holders.find(({ slot }) => equalBytes(slot, slots[i]!))
      if (!holder || holder.timestamp < now || equalBytes(holder.hash, message.hash)) return message
      return this.#build(key, builds[i]!, holder.timestamp + 1)
    })
  }

  /** The outcome for the caller: a message that is stored already counts as stored. */
  async #outcomeOf(
    message: SignedMessage,
    result: number | Rejection,
  ): Promise<Published | Rejection> {
    const { fid, hash } = message
    if (typeof result === 'number') return { fid, hash, eventId: result }
    if (result.code !== 'bad_request.duplicate') return result
    const holder = await this.#context.storage.messages.bySlot(slotOf(message))
    return { fid, hash, eventId: eventIdOf(holder, hash) }
  }

  /** The row of a request, made by the first one that asks. */
  #claim(row: AppIdem): Promise<AppIdem> {
    return this.#context.storage.write(partOf(row), async (tx) => {
      const known = await tx.of(appIdemRows).find(row.app, row.idem)
      if (known && known.created_at > row.created_at - IDEM_SECONDS) return known
      await tx.of(appIdemRows).put(row)
      return row
    })
  }

  /** What the first request of a row stored, if it is stored or was replaced by something newer. */
  async #resultOf(row: AppIdem): Promise<Published | undefined> {
    const holder = await this.#context.storage.messages.bySlot(row.slot)
    if (!holder) return undefined
    const isOurs = equalBytes(holder.hash, row.hash)
    if (!isOurs && holder.timestamp < timestampOf(row)) return undefined
    return { fid: row.fid, hash: row.hash, eventId: eventIdOf(holder, row.hash) }
  }
}

const partOf = ({ app, idem }: AppIdem): PlatformPart => `idem/${app} ${idem}`

const timestampOf = ({ created_at }: AppIdem): number => networkTime(created_at * 1_000)

const isConflict = (outcome: Published | Rejection): boolean =>
  outcome instanceof Rejection && outcome.code === 'bad_request.conflict'

/** A message has the id of its event. */
const eventIdOf = (holder: StoredMessage | undefined, hash: Uint8Array): number | undefined =>
  holder && equalBytes(holder.hash, hash) ? holder.id : undefined

function published(outcome: Published | Rejection): Published {
  if (outcome instanceof Rejection) throw outcome
  return outcome
}
