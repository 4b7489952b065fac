// Subscribe of a scripted hub: a replay of the log, then what blocks bring. What the deployed hub loses is lost here
// when a test says so.

import { setTimeout as sleep } from 'node:timers/promises'
import * as grpc from '@grpc/grpc-js'
import { type HubEvent, HubEventType } from '../../src/kernel/protocol/wire/hub_event_pb.js'
import type { SubscribeRequest } from '../../src/kernel/protocol/wire/rpc_pb.js'
import type { Faults } from './faults.ts'
import type { FakeShard } from './shard.ts'

type Call = grpc.ServerWritableStream<SubscribeRequest, HubEvent>

export type StreamSource = {
  readonly faults: Faults
  readonly isHubble: boolean
  servedEvent(event: HubEvent): HubEvent
}

export class FakeStream {
  readonly call: Call
  readonly shards: readonly FakeShard[]
  /** Events that it loses next, as a reader that is too slow does. */
  lag = 0
  readonly #source: StreamSource
  readonly #types: ReadonlySet<HubEventType>
  /** Blocks of each shard that it misses before live events begin. */
  readonly #missed = new Map<number, number>()
  #heldBlocks: HubEvent[][] = []
  /** Writes wait for each other, and for the reader. */
  #writes: Promise<void> = Promise.resolve()
  #isLive = false

  constructor(call: Call, shards: readonly FakeShard[], source: StreamSource) {
    this.call = call
    this.shards = shards
    this.#source = source
    // No type is no event; Hubble sends all then, which nobody here asks for.
    this.#types = new Set(call.request.eventTypes)
    // Without it clients do not know that the stream was accepted. Hubble sends nothing before the first event.
    if (!source.isHubble) call.sendMetadata(new grpc.Metadata())
    if (call.request.fromId === undefined) this.#isLive = true
    else this.#replay(call.request.fromId)
  }

  /** Shards one after the other; live events begin after the last. */
  #replay(fromId: bigint): void {
    const { faults } = this.#source
    for (const shard of this.shards) {
      const stored = faults.areStreamsSilent ? [] : shard.events.filter(({ id }) => id >= fromId)
      this.#write(stored.filter((one) => this.#isSent(one)))
      if (faults.missedWhenJoining > 0) this.#missed.set(shard.index, faults.missedWhenJoining)
    }
    faults.missedWhenJoining = 0
    this.#isLive = true
  }

  /** A block of one of its shards, while it is open. */
  onBlock(shard: FakeShard, events: readonly HubEvent[]): void {
    const { faults } = this.#source
    if (!this.#isLive || !this.shards.includes(shard) || faults.areStreamsSilent) return
    const missed = this.#missed.get(shard.index) ?? 0
    if (missed > 0) {
      this.#missed.set(shard.index, missed - 1)
      return
    }
    const sent = events.filter((event) => this.#isSent(event)).filter(() => !this.#isLost())
    if (faults.reorderedBlocks === 0) {
      this.#write([...this.#heldBlocks.flat(), ...sent])
      this.#heldBlocks = []
      return
    }
    this.#heldBlocks.push(sent)
    if (this.#heldBlocks.length < faults.reorderedBlocks) return
    this.#write(this.#heldBlocks.flat().toReversed())
    this.#heldBlocks = []
  }

  #isSent(event: HubEvent): boolean {
    if (!this.#types.has(event.type)) return false
    const lost = this.#source.faults.lostBlocks.get(`${event.shardIndex}:${event.blockNumber}`)
    if (lost === undefined) return true
    const isConfirmation = event.type === HubEventType.BLOCK_CONFIRMED
    return lost === 'confirmation' ? !isConfirmation : lost === 'events' && isConfirmation
  }

  #isLost(): boolean {
    if (this.lag === 0) return false
    this.lag--
    return true
  }

  #write(events: readonly HubEvent[]): void {
    const { delayMs, lateEventsMs, copies } = this.#source.faults
    const sent = events.flatMap((event) =>
      Array.from({ length: copies }, () => this.#source.servedEvent(event)),
    )
    this.#writes = this.#writes.then(async () => {
      if (delayMs + lateEventsMs > 0) await sleep(delayMs + lateEventsMs)
      for (const event of sent) {
        if (this.call.cancelled || this.call.destroyed) return
        if (!this.call.write(event)) await drained(this.call)
      }
    })
  }
}

/** Resolves when the reader has caught up, or is gone. */
function drained(call: Call): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      for (const name of ['drain', 'cancelled', 'close', 'error']) call.off(name, end)
      resolve()
    }
    for (const name of ['drain', 'cancelled', 'close', 'error']) call.on(name, end)
  })
}
