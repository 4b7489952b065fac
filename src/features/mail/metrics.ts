import { Counter, Gauge, type Registry } from 'prom-client'
import { SECOND_MS } from '../../kernel/protocol/time.ts'
import type { Storage } from '../../kernel/storage/storage.ts'
import { MAIL_OUTCOMES, type MailOutcome } from './sending.ts'
import { mailRows } from './tables/mails.ts'

/** Waiting mails that the metrics count. */
const MAX_COUNTED = 10_000

/** Registers the metrics of mails. Returns the function that counts an attempt. */
export function mailCounter(
  { of }: Pick<Storage, 'of'>,
  metrics: Registry,
  nowMs: () => number,
): (outcome: MailOutcome) => void {
  const registers = [metrics]
  const sent = new Counter({
    name: 'rookery_mails_total',
    help: 'Attempts to send a mail, by outcome: later is tried again, refused and expired are given up',
    labelNames: ['outcome'],
    registers,
  })
  for (const outcome of MAIL_OUTCOMES) sent.inc({ outcome }, 0)
  new Gauge({
    name: 'rookery_mails_waiting',
    help: 'Mails that wait to be sent, at most 10,000',
    registers,
    async collect() {
      this.set(await of(mailRows).waitingCount(MAX_COUNTED))
    },
  })
  new Gauge({
    name: 'rookery_mail_queue_age_seconds',
    help: 'For how long the oldest mail that waits has waited; 0 when none does',
    registers,
    async collect() {
      const oldest = await of(mailRows).oldest()
      this.set(oldest === undefined ? 0 : Math.max(0, (nowMs() - oldest) / SECOND_MS))
    },
  })
  return (outcome) => sent.inc({ outcome })
}
