import { keccak_256 } from '@noble/hashes/sha3.js'
import type { NameFeed, NameTransfer } from '../hub/names.ts'
import { toUtf8 } from '../protocol/bytes.ts'
import { signTypedData, usernameProofTypedData } from '../protocol/eip712.ts'

/** The key a development registry signs with: known to everybody, like all keys here. */
const REGISTRY_KEY = keccak_256(toUtf8('rookery development registry'))

/**
 * The names of a development network: what a registry would have published about them. A transfer is
 * kept until the hub has stored it.
 */
export class DevNames implements NameFeed {
  #waiting: NameTransfer[] = []
  #lastId = 0

  /** Gives a name to a fid. `known` is the last transfer the hub has stored. */
  register(
    claim: { username: string; owner: Uint8Array; to: number; timestamp: number },
    known: number,
  ): void {
    const { username: name, owner, timestamp } = claim
    const typedData = usernameProofTypedData({ name, timestamp, owner })
    const serverSignature = signTypedData(typedData, REGISTRY_KEY)
    this.#lastId = Math.max(this.#lastId, known) + 1
    this.#waiting.push({ id: this.#lastId, from: 0, ...claim, serverSignature })
  }

  async transfersAfter(id: number, limit: number): Promise<readonly NameTransfer[]> {
    this.#waiting = this.#waiting.filter((transfer) => transfer.id > id)
    return this.#waiting.slice(0, limit)
  }

  /** Forgets everything, as a registry without names. */
  reset(): void {
    this.#waiting = []
    this.#lastId = 0
  }
}
