import { Counter, Gauge, type Registry } from 'prom-client'
import type { Storage } from '../../kernel/storage/storage.ts'
import { PUSH_OUTCOMES, type PushOutcome } from './sending.ts'
import { pushRows } from './tables/pushes.ts'

/** Waiting pushes that the metrics count. */
const MAX_COUNTED = 10_000

/** Registers the metrics of pushes. Returns the function that counts an attempt. */
export function pushCounter(
  { of }: Pick<Storage, 'of'>,
  metrics: Registry,
): (outcome: PushOutcome) => void {
  const registers = [metrics]
  const sent = new Counter({
    name: 'rookery_pushes_total',
    help: 'Attempts to send a push to a device, by outcome',
    labelNames: ['outcome'],
    registers,
  })
  for (const outcome of PUSH_OUTCOMES) sent.inc({ outcome }, 0)
  new Gauge({
    name: 'rookery_pushes_waiting',
    help: 'Pushes that wait to be sent, at most 10,000',
    registers,
    async collect() {
      this.set(await of(pushRows).waitingCount(MAX_COUNTED))
    },
  })
  return (outcome) => sent.inc({ outcome })
}
