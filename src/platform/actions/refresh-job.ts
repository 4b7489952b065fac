import { Cron } from 'croner'
import type { PlatformContext } from '../context.ts'
import type { Catalogue } from './catalogue.ts'

/** Keeps what is known of actions fresh, every hour a part of them. Stops between two documents. */
export function startRefreshing(
  catalogue: Pick<Catalogue, 'refreshStale'>,
  onError: PlatformContext['onError'],
): { stop(): Promise<void> } {
  let stopped = false
  let running: Promise<void> = Promise.resolve()
  const cron = new Cron('40 * * * *', { timezone: 'UTC', protect: true, unref: true }, () => {
    running = catalogue
      .refreshStale(() => stopped)
      .catch((error) => onError(error, 'refresh actions'))
    return running
  })
  return {
    async stop() {
      stopped = true
      cron.stop()
      await running
    },
  }
}
