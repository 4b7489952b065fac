import type { Logger } from '../../kernel/http/logger.ts'
import type { Check } from '../../kernel/module.ts'

export type { Check } from '../../kernel/module.ts'

type CheckState = 'ok' | 'failed' | 'timed out'

/** The longest time of a check; orchestrators give up after a second or more. */
const CHECK_TIMEOUT_MS = 900

/** Runs the checks. One that still hangs from an earlier round is not started again. */
export function createProbe(
  checks: readonly Check[],
  timeoutMs = CHECK_TIMEOUT_MS,
): (log: Logger) => Promise<Record<string, CheckState>> {
  const running = new Map<string, Promise<void>>()

  const start = ({ name, check }: Check): Promise<void> => {
    const run = (async () => check())().finally(() => running.delete(name))
    running.set(name, run)
    return run
  }

  const probe = async (check: Check, log: Logger): Promise<CheckState> => {
    let timer: NodeJS.Timeout | undefined
    const timeout = new Promise<'timed out'>((resolve) => {
      timer = setTimeout(resolve, timeoutMs, 'timed out')
    })
    const answer = (running.get(check.name) ?? start(check)).then(
      () => 'ok' as const,
      (error: unknown) => {
        log.warn({ err: error, check: check.name }, 'health check failed')
        return 'failed' as const
      },
    )
    return Promise.race([answer, timeout]).finally(() => clearTimeout(timer))
  }

  return async (log) => {
    const states = await Promise.all(checks.map((check) => probe(check, log)))
    return Object.fromEntries(checks.map(({ name }, i) => [name, states[i]!]))
  }
}
