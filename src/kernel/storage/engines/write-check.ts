import type { Engine } from './engine.ts'
import { isStoreFailure, StoreUnavailable, unavailableReason } from './unavailable.ts'

/** No test write is made for this time after a write has succeeded. */
const TRUSTED_MS = 30_000
/** After a write was refused, the store counts as full or damaged for this time. Then a write is tried. */
const REFUSED_MS = 1_000
/** Size of the test write while the store works. */
const TRIED_BYTES = 16_384
/**
 * Size of the test write after a write was refused: as much as a batch of some hundred messages. Parts of files that are there
 * already, such as the log of writes, have room for a few pages on a full disk too.
 */
const TRIED_AFTER_REFUSAL_BYTES = 1_048_576
/** A row of the table of leases, which stays when the data are deleted. No process holds it. */
const TRY = `insert into lease (name, holder, epoch, expires_at) values ('write check', ?, 0, 0)
  on conflict (name) do update set holder = excluded.holder`

/** Whether the store refuses writes, not only this one: no space, read-only, damaged, unwritable. */
export function refusesWrites(error: unknown): boolean {
  const reason = unavailableReason(error)
  return reason === undefined ? isStoreFailure(error) : reason === 'full' || reason === 'read_only'
}

/** Knows whether the store accepts writes: by the last ones, and by a small one when there were none or they were refused. */
export class WriteCheck {
  readonly #engine: Engine
  readonly #now: () => number
  #succeededAt: number | undefined
  #refused: { readonly at: number; readonly error: unknown } | undefined
  #trying: Promise<void> | undefined

  /** `now` is milliseconds of any clock that never steps back. */
  constructor(engine: Engine, now: () => number = () => performance.now()) {
    this.#engine = engine
    this.#now = now
  }

  /** Call it after transactions that wrote something; one that only reads says nothing about space. */
  succeeded(): void {
    this.#succeededAt = this.#now()
    this.#refused = undefined
  }

  failed(error: unknown): void {
    if (refusesWrites(error)) this.refused(error)
  }

  refused(error: unknown): void {
    this.#refused = { at: this.#now(), error }
  }

  /** Throws unless writes are accepted. */
  async check(): Promise<void> {
    if (this.#refused && this.#now() - this.#refused.at < REFUSED_MS) {
      throw new StoreUnavailable('full', 'the last write was refused', this.#refused.error)
    }
    const isTrusted =
      !this.#refused &&
      this.#succeededAt !== undefined &&
      this.#now() - this.#succeededAt < TRUSTED_MS
    if (isTrusted) return
    this.#trying ??= this.#try().finally(() => {
      this.#trying = undefined
    })
    await this.#trying
  }

  async #try(): Promise<void> {
    try {
      const text = 'x'.repeat(this.#refused ? TRIED_AFTER_REFUSAL_BYTES : TRIED_BYTES)
      await this.#engine.transaction((sql) => sql.all(TRY, [text]))
      this.succeeded()
    } catch (error) {
      this.failed(error)
      throw error
    }
  }
}
