import { Counter, type Registry } from 'prom-client'
import { gaugeRegistrar } from '../../kernel/http/metrics.ts'

/** Metrics of the relayer. */
export type RelayMetrics = {
  signed(why: 'new' | 'replacement' | 'lost' | 'gap'): void
  finished(outcome: 'done' | 'failed'): void
  notTaken(): void
}

type RelayGauges = {
  underWay(): Promise<number>
  /** In ether; undefined before the first read. */
  balance(): number | undefined
}

export function createRelayMetrics(registry: Registry, gauges: RelayGauges): RelayMetrics {
  const registers = [registry]
  const signed = new Counter({
    name: 'rookery_relay_transactions_total',
    help: 'Transactions signed: new ones, replacements with a higher fee, and what mends lost nonces',
    labelNames: ['why'],
    registers,
  })
  const finished = new Counter({
    name: 'rookery_relay_calls_total',
    help: 'Calls that came to an end, by outcome',
    labelNames: ['outcome'],
    registers,
  })
  const notTaken = new Counter({
    name: 'rookery_relay_not_taken_total',
    help: 'Transactions that a node did not take; they are sent again',
    registers,
  })
  const gauge = gaugeRegistrar(registers)
  gauge('rookery_relay_queue_calls', 'Calls under way', gauges.underWay)
  gauge('rookery_relay_balance_ether', 'What the relay has to pay with', gauges.balance)
  return {
    signed: (why) => signed.inc({ why }),
    finished: (outcome) => finished.inc({ outcome }),
    notTaken: () => notTaken.inc(),
  }
}
