import type { Logger } from './logger.ts'

/** An error of the log, without its stack. */
export type RecentError = {
  /** Unix ms. */
  readonly at: number
  /** The text of the entry, such as `fault` or `job failed`. */
  readonly what: string
  readonly message: string
  /** The route, the job or the method. */
  readonly where: string | undefined
  /** What the caller got in `x-request-id`. */
  readonly requestId: string | undefined
}

/** As many as a person reads. Older errors are in the log. */
const MAX_KEPT = 100
const MAX_CHARACTERS = 500

/** The newest errors of this process, in memory alone. */
export type RecentErrors = {
  /** Newest first. */
  list(): readonly RecentError[]
  /** A logger that writes to `log` and keeps its errors. */
  remembering(log: Logger): Logger
}

export function createRecentErrors(now: () => number): RecentErrors {
  const kept: RecentError[] = []
  const remember = (entry: unknown, text: unknown) => {
    kept.push(describe(entry, text, now()))
    if (kept.length > MAX_KEPT) kept.shift()
  }
  const watched = (log: Logger, level: 'error' | 'fatal') => (entry: unknown, text?: unknown) => {
    remember(entry, text)
    log[level](entry as object, text as string)
  }
  return {
    list: () => kept.toReversed(),
    remembering: (log) =>
      Object.assign(Object.create(log), {
        error: watched(log, 'error'),
        fatal: watched(log, 'fatal'),
      }),
  }
}

function describe(entry: unknown, text: unknown, at: number): RecentError {
  const fields = (typeof entry === 'object' && entry !== null ? entry : {}) as Record<
    string,
    unknown
  >
  const { err, requestId, route, job, method, what, source } = fields
  return {
    at,
    what: short(typeof entry === 'string' ? entry : text),
    message: short(err instanceof Error ? err.message : err),
    where: shortOrNone(route ?? job ?? method ?? what ?? source),
    requestId: shortOrNone(requestId),
  }
}

const short = (value: unknown): string =>
  value === undefined || value === null ? '' : String(value).slice(0, MAX_CHARACTERS)
const shortOrNone = (value: unknown): string | undefined => short(value) || undefined
