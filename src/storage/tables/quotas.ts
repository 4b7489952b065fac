import type { Sql } from '../engines/sql.ts'
import { type RowOf, table } from './table.ts'

/** What has been used in a window of fixed length. It is in the store, so that all processes share one quota. */
export const QUOTAS = table('quota', {
  name: { type: 'line', key: true },
  /** What it is counted for: a fid, or a fid and a channel. */
  subject: { type: 'line', key: true },
  ends_at: { type: 'millis' },
  count: { type: 'integer' },
  amount: { type: 'integer' },
})
export type UsedQuota = RowOf<typeof QUOTAS>

export const quotaReader = (sql: Sql) => ({
  /** What these subjects have used of a quota. */
  used: (name: string, subjects: readonly string[]) =>
    QUOTAS.findAll(
      sql,
      subjects.map((subject) => ({ name, subject })),
    ),
})

/** Quotas of one name are always written under the same lock. */
export const quotaWriter = (sql: Sql) => ({
  ...quotaReader(sql),
  put: (rows: readonly UsedQuota[]) => QUOTAS.upsert(sql, rows),
  /** Deletes windows that have ended by `now` (Unix ms), at most `limit`, and returns their number. */
  async forget(now: number, limit: number): Promise<number> {
    // The time is compared twice: a window of the list may be opened again before its row is deleted.
    const some = '(select name, subject from quota where ends_at <= ? limit ?)'
    const condition = `ends_at <= ? and (name, subject) in ${some}`
    return (await QUOTAS.removeWhere(sql, condition, [now, now, limit])).length
  },
})

/** The window is full. */
type Exceeded = { readonly retryAfterMs: number }

export type QuotaTerms = {
  readonly windowMs: number
  readonly max: number
  /** Of the amounts together. */
  readonly maxAmount?: number
}

/** The windows of one quota, as a transaction has read them and is to write them. */
export class QuotaWindows {
  readonly #name: string
  readonly #rows: Map<string, UsedQuota>
  readonly #changed = new Map<string, UsedQuota>()

  constructor(name: string, rows: readonly UsedQuota[] = []) {
    this.#name = name
    this.#rows = new Map(rows.map((row) => [row.subject, row]))
  }

  /** Counts one use at Unix ms `now` unless there would then be more than the terms allow. */
  take(subject: string, terms: QuotaTerms, now: number, amount = 0): Exceeded | undefined {
    const exceeded = this.check(subject, terms, now, amount)
    if (exceeded) return exceeded
    const { ends_at, count, amount: before } = this.#window(subject, terms, now)
    const row = { name: this.#name, subject, ends_at, count: count + 1, amount: before + amount }
    this.#rows.set(subject, row)
    this.#changed.set(subject, row)
    return undefined
  }

  /** What `take` would return; counts nothing. */
  check(subject: string, terms: QuotaTerms, now: number, amount = 0): Exceeded | undefined {
    const { max, maxAmount = Number.MAX_SAFE_INTEGER } = terms
    const window = this.#window(subject, terms, now)
    if (window.count < max && window.amount + amount <= maxAmount) return undefined
    return { retryAfterMs: window.ends_at - now }
  }

  /** The rows to be written. */
  get changed(): UsedQuota[] {
    return [...this.#changed.values()]
  }

  #window(subject: string, { windowMs }: QuotaTerms, now: number) {
    const row = this.#rows.get(subject)
    // After the clock was set back by more than a window, the count starts anew.
    const isOpen = row && now < row.ends_at && row.ends_at - now <= windowMs
    return isOpen ? row : { ends_at: now + windowMs, count: 0, amount: 0 }
  }
}
