import { toHex } from '../../protocol/codec/bytes.ts'
import { Rejection } from '../../protocol/rejection.ts'
import { networkTime } from '../../protocol/time.ts'
import { fromStored } from '../../storage/messages/message-rows.ts'
import type { StoredMessage } from '../../storage/messages/messages.ts'
import type { Reader, Writer } from '../../storage/storage.ts'
import type { GaslessKey } from '../../storage/tables/gasless-keys.ts'
import { bytesKey, type CheckedRow } from './candidate.ts'

/** Network seconds between two moves of a key's last use, so that not every message writes it. */
const LAST_USE_STEP_SECONDS = 300

type Use = Pick<CheckedRow, 'fid' | 'signer' | 'type'>

type Terms = {
  /** What a stored KEY_ADD says of its key. */
  readonly scopes: readonly number[]
  readonly ttl: number
}

/** Gasless keys that sign messages of a batch, or that messages are about; updated while the batch is decided. */
export class SenderKeys {
  readonly #keys: Map<string, GaslessKey>
  readonly #changed = new Map<string, Uint8Array>()
  readonly #nowMs: number

  private constructor(keys: readonly GaslessKey[], nowMs: number) {
    this.#keys = new Map(keys.map((row) => [bytesKey(row.key), row]))
    this.#nowMs = nowMs
  }

  static async read(
    reader: Pick<Reader, 'gaslessKeys'>,
    keys: readonly Uint8Array[],
    nowMs: number,
  ): Promise<SenderKeys> {
    return new SenderKeys(keys.length === 0 ? [] : await reader.gaslessKeys.ofKeys(keys), nowMs)
  }

  find(key: Uint8Array): GaslessKey | undefined {
    return this.#keys.get(bytesKey(key))
  }

  /**
   * Throws a Rejection unless the fid has this gasless key and may send such a message with it. `holder` is the message in
   * the slot of the key. Returns when the key was last used and how long it lasts after that.
   */
  checkUse(
    { fid, signer, type }: Use,
    holder: StoredMessage | undefined,
  ): { readonly lastUsedAt: number; readonly ttl: number } {
    const row = this.find(signer)
    if (!holder || !row || holder.fid !== fid || row.fid !== fid) throw unknownSigner(fid, signer)
    const { scopes, ttl } = termsOf(holder)
    if (scopes.includes(type)) return { lastUsedAt: row.last_used_at, ttl }
    const text = `message type ${type} is not in the scope of the gasless signer`
    throw new Rejection('bad_request.validation_failure', text, { field: 'data.type' })
  }

  /** The same of a message that is sent now: the key must have been used lately. */
  checkUseNow(use: Use, holder: StoredMessage | undefined): void {
    const { lastUsedAt, ttl } = this.checkUse(use, holder)
    const now = networkTime(this.#nowMs)
    if (lastUsedAt + ttl >= now) return
    const text = `gasless-key last_used_at expired: last used at ${lastUsedAt}, ttl ${ttl}, now ${now}`
    throw new Rejection('bad_request.unknown_signer', text, { field: 'signer' })
  }

  /** Notes that a merged message was signed with the key. */
  use({ signer, timestamp }: Pick<CheckedRow, 'signer' | 'timestamp'>): void {
    const row = this.find(signer)
    if (!row || timestamp <= row.last_used_at + LAST_USE_STEP_SECONDS) return
    this.put({ ...row, last_used_at: timestamp })
  }

  put(row: GaslessKey): void {
    const id = bytesKey(row.key)
    this.#keys.set(id, row)
    this.#changed.set(id, row.key)
  }

  remove(key: Uint8Array): void {
    const id = bytesKey(key)
    this.#keys.delete(id)
    this.#changed.set(id, key)
  }

  async write(tx: Pick<Writer, 'gaslessKeys'>): Promise<void> {
    const removed = [...this.#changed].flatMap(([id, key]) => (this.#keys.has(id) ? [] : key))
    const changed = [...this.#changed.keys()].flatMap((id) => this.#keys.get(id) ?? [])
    if (removed.length > 0) await tx.gaslessKeys.remove(removed)
    if (changed.length > 0) await tx.gaslessKeys.put(changed)
  }
}

const unknownSigner = (fid: number, signer: Uint8Array): Rejection =>
  new Rejection(
    'bad_request.unknown_signer',
    `invalid signer: signer ${toHex(signer)} not found for fid ${fid}`,
    { field: 'signer' },
  )

function termsOf(holder: StoredMessage): Terms {
  const { body } = fromStored(holder).data
  return body.case === 'keyAddBody' ? body.value : { scopes: [], ttl: 0 }
}
