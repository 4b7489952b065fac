import type { UsedQuota } from '../storage/tables/quotas.ts'
import type { Exceeded } from './exceeded.ts'
import { isOpen } from './window.ts'

export type QuotaTerms = {
  readonly windowMs: number
  /** Number of uses. */
  readonly max: number
  /** Of the amounts together. */
  readonly maxAmount?: number
}

/**
 * A quota by subject (a fid, or a fid and a channel) in windows of fixed length, in rows of the store: all processes share
 * it, and it survives a restart. A transaction reads the rows, consumes, and writes `changed`.
 */
export class Quota {
  readonly #name: string
  readonly #rows: Map<string, UsedQuota>
  readonly #changed = new Map<string, UsedQuota>()

  constructor(name: string, rows: readonly UsedQuota[]) {
    this.#name = name
    this.#rows = new Map(rows.map((row) => [row.subject, row]))
  }

  /** Counts one use at Unix ms `now` unless there would then be more than the terms allow. */
  tryConsume(subject: string, terms: QuotaTerms, now: number, amount = 0): Exceeded | undefined {
    const exceeded = this.check(subject, terms, now, amount)
    if (exceeded) return exceeded
    const { ends_at, count, amount: before } = this.#window(subject, terms, now)
    this.#set(subject, { ends_at, count: count + 1, amount: before + amount })
    return undefined
  }

  /** Takes one use back that was counted before, unless its window has ended. */
  giveBack(subject: string, terms: QuotaTerms, now: number, amount = 0): void {
    const { ends_at, count, amount: before } = this.#window(subject, terms, now)
    if (count === 0) return
    this.#set(subject, { ends_at, count: count - 1, amount: Math.max(0, before - amount) })
  }

  /** What `tryConsume` would return; counts nothing. */
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

  #set(subject: string, used: Pick<UsedQuota, 'ends_at' | 'count' | 'amount'>): void {
    const row = { name: this.#name, subject, ...used }
    this.#rows.set(subject, row)
    this.#changed.set(subject, row)
  }

  #window(subject: string, { windowMs }: QuotaTerms, now: number) {
    const row = this.#rows.get(subject)
    if (row && isOpen(row.ends_at, windowMs, now)) return row
    return { ends_at: now + windowMs, count: 0, amount: 0 }
  }
}
