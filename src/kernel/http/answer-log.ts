import { FixedWindow } from '../limits/window.ts'
import { SECOND_MS } from '../protocol/time.ts'
import type { Logger } from './logger.ts'

/**
 * Refusals (status 4xx) of one status and code that get a line of their own each second. A line has about 190 bytes, and
 * one client can be refused thousands of times a second.
 */
export const MAX_REFUSAL_LINES_PER_SECOND = 5
/** How often further refusals are written, as one line with their number for each status and code. */
export const REFUSAL_SUMMARY_MS = 10_000

/** `route` is the declared path; `ms` the time that the answer took. */
export type AnswerLine = {
  readonly requestId: string
  readonly method: string
  readonly route: string
  readonly status: number
  readonly code?: string | undefined
  readonly ms: number
}

type Counted = { readonly status: number; readonly code: string | undefined; count: number }

/**
 * The lines of the log about answers. Server errors are all written, refusals up to a number a second and beyond that
 * counted, other answers at the level debug, and with it everything.
 */
export class AnswerLog {
  readonly #logger: Logger
  readonly #summaryMs: number
  readonly #written = new FixedWindow({ windowMs: SECOND_MS })
  #counted = new Map<string, Counted>()

  constructor(logger: Logger, summaryMs = REFUSAL_SUMMARY_MS) {
    this.#logger = logger
    this.#summaryMs = summaryMs
  }

  write(line: AnswerLine): void {
    const { status } = line
    const level = status >= 500 ? 'warn' : status >= 400 ? 'info' : 'debug'
    if (!this.#logger.isLevelEnabled(level)) return
    if (level === 'info' && !this.#logger.isLevelEnabled('debug') && this.#isTooMany(line)) return
    this.#logger[level]({ ...line, ms: Math.round(line.ms * 1_000) / 1_000 }, 'request')
  }

  #isTooMany({ status, code }: AnswerLine): boolean {
    const kind = `${status} ${code}`
    if (!this.#written.tryConsume(kind, MAX_REFUSAL_LINES_PER_SECOND, Date.now())) return false
    if (this.#counted.size === 0) setTimeout(() => this.#summarize(), this.#summaryMs).unref()
    const counted = this.#counted.get(kind)
    if (counted) counted.count += 1
    else this.#counted.set(kind, { status, code, count: 1 })
    return true
  }

  #summarize(): void {
    const seconds = this.#summaryMs / SECOND_MS
    for (const counted of this.#counted.values()) {
      this.#logger.info({ ...counted, seconds }, 'more requests were refused')
    }
    this.#counted = new Map()
  }
}

/** One for each log, so that the interfaces that share a log share the bound. */
const answerLogs = new WeakMap<Logger, AnswerLog>()

export function logAnswer(logger: Logger, line: AnswerLine): void {
  const log = answerLogs.get(logger) ?? new AnswerLog(logger)
  answerLogs.set(logger, log)
  log.write(line)
}
