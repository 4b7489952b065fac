import { LRUCache } from 'lru-cache'
import type { Rent, SignerOf, SignerStatus } from '../storage/accounts.ts'
import type { UsedQuota } from '../storage/quotas.ts'
import type { Reader, Writer } from '../storage/storage.ts'
import { bytesKey } from './candidate.ts'
import { FidQuota, readUsedQuotas } from './quota.ts'

/** Accounts and keys that are remembered, about 1,000 bytes for one with its key. */
const MAX_REMEMBERED = 8_192
// With `max` the arrays of this size would be there from the start.
const BOUND = { maxSize: MAX_REMEMBERED, sizeCalculation: () => 1 }
/** An account that has rented storage more often is read again each time. */
const MAX_RENTS = 16
/** Each account has a quota row of its own, so writing those of a batch changes nearly as many pages as it has authors. */
const QUOTA_WRITE_MS = 1_000

/** Messages of a fid in each set. */
type Usage = Map<number, number>

/**
 * What a merge thread knows about accounts from its batches before. It is valid in transactions under the hub's lock as
 * long as no other connection has committed. It is forgotten when one has, when a transaction fails, and always on
 * PostgreSQL, where other processes write. Quotas that were counted are written once a second, and when the thread ends.
 */
export class MergeMemory {
  readonly #signers = new LRUCache<string, SignerStatus>(BOUND)
  readonly #rents = new LRUCache<number, readonly Rent[]>(BOUND)
  readonly #usage = new LRUCache<number, Usage>(BOUND)
  readonly #quotas = new LRUCache<string, UsedQuota>(BOUND)
  /** Quotas of committed batches that are not in the store yet, and those of the transaction that runs. */
  #unwritten = new Map<string, UsedQuota>()
  #counted = new Map<string, UsedQuota>()
  /** Undefined while nothing may be remembered. */
  #version: number | undefined
  #isOpen = false
  #isWriting = true
  #beganAtMs = 0
  #writtenAtMs = Number.NEGATIVE_INFINITY

  /** To be called first in a transaction, at Unix ms `nowMs`. */
  async begin(tx: Writer, nowMs: number): Promise<void> {
    const version = await tx.versionOfOthers()
    if (this.#isOpen || version !== this.#version) this.forget()
    this.#version = version
    this.#isOpen = true
    this.#isWriting = version === undefined || Math.abs(nowMs - this.#writtenAtMs) >= QUOTA_WRITE_MS
    this.#beganAtMs = nowMs
  }

  /** To be called when the transaction is committed. */
  end(): void {
    this.#isOpen = false
    if (this.#isWriting) {
      this.#unwritten = new Map()
      this.#writtenAtMs = this.#beganAtMs
    } else for (const [subject, row] of this.#counted) this.#unwritten.set(subject, row)
    this.#counted = new Map()
  }

  /** The signers must be distinct. */
  async signers(reader: Reader, signers: readonly SignerOf[]): Promise<SignerStatus[]> {
    const byKey = new Map(signers.map((signer) => [signerKey(signer), signer]))
    const found = await this.#read(this.#signers, byKey.keys(), async (missing) => {
      const read = await reader.accounts.signerStatuses(missing.map((key) => byKey.get(key)!))
      return read.map((status) => [signerKey(status), status])
    })
    return [...found.values()]
  }

  rents(reader: Reader, fids: readonly number[]): Promise<Map<number, readonly Rent[]>> {
    return this.#read(
      this.#rents,
      fids,
      async (missing) => {
        const rents = Map.groupBy(await reader.accounts.rents(missing), ({ fid }) => fid)
        return missing.map((fid) => [fid, rents.get(fid) ?? []])
      },
      (rents) => rents.length <= MAX_RENTS,
    )
  }

  /** Whoever changes the number of messages changes it here, too, or calls `forgetUsage`. */
  usage(reader: Reader, fids: readonly number[]): Promise<Map<number, Usage>> {
    return this.#read(this.#usage, fids, async (missing) => {
      const byFid = Map.groupBy(await reader.messages.usage(missing), ({ fid }) => fid)
      return missing.map((fid) => {
        const sets = (byFid.get(fid) ?? []).map(({ store, count }) => [store, count] as const)
        return [fid, new Map(sets)]
      })
    })
  }

  forgetUsage(fid: number): void {
    this.#usage.delete(fid)
  }

  async quota(reader: Reader, fids: readonly number[]): Promise<FidQuota> {
    const subjects = new Set(fids.map(String))
    const own = (subject: string) => this.#counted.get(subject) ?? this.#unwritten.get(subject)
    const others = [...subjects].filter((subject) => !own(subject))
    const read = await this.#read(this.#quotas, others, async (missing) => {
      const rows = await readUsedQuotas(reader, missing)
      return rows.map((row) => [row.subject, row])
    })
    return new FidQuota([...subjects].flatMap((subject) => own(subject) ?? read.get(subject) ?? []))
  }

  /** Notes what a run of the transaction has counted, and writes it when it is time. */
  async countQuota(tx: Writer, changed: readonly UsedQuota[]): Promise<void> {
    for (const row of changed) {
      this.#counted.set(row.subject, row)
      if (this.#version !== undefined) this.#quotas.set(row.subject, row)
    }
    if (!this.#isWriting) return
    const earlier = [...this.#unwritten.values()].filter(
      ({ subject }) => !this.#counted.has(subject),
    )
    await tx.quotas.put([...earlier, ...changed])
  }

  /** What has to be written before the thread ends. */
  get unwritten(): readonly UsedQuota[] {
    return [...this.#unwritten.values()]
  }

  /** What is remembered of these keys, and what `find` returns for the others. */
  async #read<K extends string | number, V extends object>(
    remembered: LRUCache<K, V>,
    keys: Iterable<K>,
    find: (missing: K[]) => Promise<(readonly [K, V])[]>,
    isSmall: (value: V) => boolean = () => true,
  ): Promise<Map<K, V>> {
    const found = new Map<K, V>()
    const missing: K[] = []
    for (const key of keys) {
      const known = remembered.get(key)
      if (known) found.set(key, known)
      else missing.push(key)
    }
    if (missing.length === 0) return found
    for (const [key, value] of await find(missing)) {
      found.set(key, value)
      if (this.#version !== undefined && isSmall(value)) remembered.set(key, value)
    }
    return found
  }

  /** Forgets what can be read again. */
  forget(): void {
    for (const cache of [this.#signers, this.#rents, this.#usage, this.#quotas]) {
      if (cache.size > 0) cache.clear()
    }
    this.#counted = new Map()
  }
}

const signerKey = ({ fid, key }: SignerOf) => `${fid}/${bytesKey(key)}`
