import { clientOf } from './client-budget.ts'
import { deleteFirst } from './common-budget.ts'
import { type CostBudget, MAX_CLIENTS, type Overspent } from './cost-budget.ts'
import type { Logger } from './logger.ts'
import type { HttpMetrics } from './metrics.ts'
import type { Route } from './route.ts'
import type { LogLine, Notice, Waits } from './serving-messages.ts'

/** How long what was done may wait to be reported. */
const REPORT_MS = 20
/** What was done is charged afterwards, so a client may spend this beyond its budget, in each thread. */
const MAX_AHEAD_UNITS = 5_000
/** Numbers that wait to be reported. With more, the process's own thread is behind, and is to be waited for. */
const MAX_UNREPORTED = 100_000
/** It is not sent: the process's own thread decides, and tells how long. */
const FORWARDED: Overspent = { by: 'client', retryAfterMs: 0 }

/** What clients owe, each by one of its addresses. */
type Debts = Map<string, { readonly address: string; units: number }>

const unitsIn = (debts: Debts, client: string): number => debts.get(client)?.units ?? 0

/**
 * The budgets, the metrics and the log of a serving thread. They are kept by the process's own thread for all threads
 * together, which is told every few milliseconds what was done. Clients that have to wait are forwarded to it.
 */
export class ThreadAccount implements Pick<CostBudget, 'charge' | 'settle'> {
  readonly #routes: ReadonlyMap<string, number>
  readonly #logsAnswers: boolean
  readonly #post: (notice: Notice) => void
  /** By client, as in the budgets. */
  #owed: Debts = new Map()
  /** Reported, but not answered. */
  #reported: Debts = new Map()
  /** Until when clients wait that have paid before. */
  readonly #waitUntil = new Map<string, number>()
  #answers: number[] = []
  #lines: LogLine[] = []
  #isShort = false
  #isWaiting = false

  constructor(options: {
    readonly routes: readonly Route[]
    readonly logsAnswers: boolean
    post(notice: Notice): void
  }) {
    this.#post = options.post
    this.#logsAnswers = options.logsAnswers
    this.#routes = new Map(options.routes.map(({ spec }, i) => [spec.path, i]))
  }

  /** While little is left for all, a client that has not paid yet is forwarded, too. */
  charge(address: string, units: number): Overspent | undefined {
    if (!this.#mayGoOn(clientOf(address)) || this.#answers.length > MAX_UNREPORTED) return FORWARDED
    this.settle(address, units)
    return undefined
  }

  #mayGoOn(client: string): boolean {
    const ahead = unitsIn(this.#owed, client) + unitsIn(this.#reported, client)
    if (ahead > MAX_AHEAD_UNITS) return false
    const waitsUntil = this.#waitUntil.get(client)
    return waitsUntil === undefined ? !this.#isShort : waitsUntil <= performance.now()
  }

  settle(address: string, units: number): void {
    const client = clientOf(address)
    const owed = this.#owed.get(client)
    if (owed) owed.units += units
    else this.#owed.set(client, { address, units })
    this.#reportSoon()
  }

  /** In reports, the index of a route stands for it. */
  readonly observer: HttpMetrics['route'] = (_name, path) => {
    const index = this.#routes.get(path)!
    return (_method, _status, milliseconds) => {
      this.#answers.push(index, milliseconds)
      this.#reportSoon()
    }
  }

  get logger(): Logger {
    const log = (level: LogLine[0]) => (entry: object, text: string) => {
      this.#lines.push([level, entry, text])
      this.#reportSoon()
    }
    const logger = {
      isLevelEnabled: () => this.#logsAnswers,
      debug: log('debug'),
      info: log('info'),
      warn: log('warn'),
      error: log('error'),
    }
    return logger as unknown as Logger
  }

  /** Takes the answer to a report. */
  settled({ waits, isShort }: Waits): void {
    const now = performance.now()
    this.#isWaiting = false
    this.#reported = new Map()
    this.#isShort = isShort
    for (const [address, waitMs] of waits) {
      const client = clientOf(address)
      this.#waitUntil.delete(client)
      if (this.#waitUntil.size >= MAX_CLIENTS) deleteFirst(this.#waitUntil)
      this.#waitUntil.set(client, now + waitMs)
    }
    if (this.#owed.size + this.#answers.length + this.#lines.length > 0) this.#reportSoon()
  }

  report(): void {
    const owed = [...this.#owed.values()].map(({ address, units }) => [address, units] as const)
    this.#post({ owed, answers: this.#answers, lines: this.#lines })
    this.#reported = this.#owed
    this.#owed = new Map()
    this.#answers = []
    this.#lines = []
  }

  #reportSoon(): void {
    if (this.#isWaiting) return
    // Until it is answered, so that reports do not queue up.
    this.#isWaiting = true
    setTimeout(() => this.report(), REPORT_MS)
  }
}
