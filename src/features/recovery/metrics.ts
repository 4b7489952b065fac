import { Gauge, type Registry } from 'prom-client'
import type { Storage } from '../../kernel/storage/storage.ts'
import { recoveryRows } from './tables/recoveries.ts'

/** Registers what tells the operator that people wait for an answer. */
export function registerRecoveryMetrics({ of }: Pick<Storage, 'of'>, metrics: Registry): void {
  new Gauge({
    name: 'rookery_recovery_requests',
    help: 'Requests of people who have lost every key, not decided by the operator',
    registers: [metrics],
    async collect() {
      this.set(await of(recoveryRows).undecidedCount())
    },
  })
}
