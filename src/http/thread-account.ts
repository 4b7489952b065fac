import { clientOf } from './client-budget.ts'
import { deleteFirst } from './common-budget.ts'
import { type CostBudget, MAX_CLIENTS, type Overspent } from './cost-budget.ts'
import type { Logger } from './logger.ts'
import type { HttpMetrics } from './metrics.ts'
import type { Route } from './route.ts'
import type { Allowances, LogLine, Notice } from './serving-messages.ts'

/** How long what was done may wait to be reported. */
const REPORT_MS = 20
/** What was done is charged afterwards, so a client may spend this beyond its budget, in each thread. */
export const MAX_BEYOND_UNITS = 5_000
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
  /** What clients were told that have paid before. */
  readonly #told = new Map<string, { readonly waitsUntil: number; readonly units: number }>()
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
    const told = this.#told.get(client)
    const ahead = unitsIn(this.#owed, client) + unitsIn(this.#reported, client)
    if (ahead > Math.max(MAX_BEYOND_UNITS, told?.units ?? 0)) return false
    return told ? told.waitsUntil <= performance.now() : !this.#isShort
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
  settled({ allowances, isShort }: Allowances): void {
    const now = performance.now()
    this.#isWaiting = false
    this.#reported = new Map()
    this.#isShort = isShort
    for (const [address, waitMs, units] of allowances) {
      const client = clientOf(address)
      this.#told.delete(client)
      if (this.#told.size >= MAX_CLIENTS) deleteFirst(this.#told)
      this.#told.set(client, { waitsUntil: now + waitMs, units })
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
