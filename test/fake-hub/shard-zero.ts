// The shard without people: it decides about some kinds of messages, which the other shards then repeat.

import { MessageType } from '../../src/kernel/protocol/wire/message_pb.js'
import { type Change, FakeShard, type Stored } from './shard.ts'

/** Where the shards of messages repeat what shard 0 has merged. */
type Repeated = 'home' | 'everywhere'

const DECIDED: ReadonlyMap<MessageType, Repeated> = new Map([
  [MessageType.LEND_STORAGE, 'everywhere'],
  [MessageType.CHANNEL_UPDATE, 'everywhere'],
  [MessageType.CHANNEL_MEMBER, 'everywhere'],
  [MessageType.CHANNEL_PIN, 'everywhere'],
  [MessageType.CHANNEL_MODERATE, 'everywhere'],
  // Another shard does not know the custody address that has signed it.
  [MessageType.KEY_ADD, 'home'],
  [MessageType.KEY_REMOVE, 'home'],
])

export const isVerification = ({ data }: Stored): boolean =>
  data.type === MessageType.VERIFICATION_ADD_ETH_ADDRESS ||
  data.type === MessageType.VERIFICATION_REMOVE

export class ShardZero {
  /** What it has merged; lists of lent storage are its own. */
  readonly shard = new FakeShard(0, () => new Uint8Array(20))
  readonly #withVerifications: boolean
  #waiting: Stored[] = []
  /** Merged, and not repeated by anyone yet. */
  #merged: Stored[] = []

  constructor(withVerifications: boolean) {
    this.#withVerifications = withVerifications
  }

  decides(stored: Stored): boolean {
    return DECIDED.has(stored.data.type) || (this.#withVerifications && isVerification(stored))
  }

  take(stored: Stored): void {
    this.#waiting.push(stored)
  }

  /** Makes a block of what waits. */
  commit(timestamp: number): void {
    const waiting = this.#waiting.splice(0)
    if (waiting.length === 0) return
    const changes = waiting.map((stored): Change => ({ kind: 'merge', stored }))
    this.shard.commit(changes, timestamp)
    this.#merged.push(...waiting.filter(({ hash }) => this.shard.messages.has(hash)))
  }

  /** What the other shards repeat from now on. */
  takeMerged(): { readonly stored: Stored; readonly where: Repeated }[] {
    return this.#merged
      .splice(0)
      .map((stored) => ({ stored, where: DECIDED.get(stored.data.type) ?? 'everywhere' }))
  }
}
