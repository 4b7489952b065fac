import { Counter, type Registry } from 'prom-client'
import { DELIVERY_OUTCOMES, type DeliveryOutcome } from '../../kernel/deliveries/courier.ts'

/** Registers the metrics of mini apps. Returns the function that counts an attempt at a delivery. */
export function miniAppMetrics(registry: Registry): (outcome: DeliveryOutcome) => void {
  const deliveries = new Counter({
    name: 'rookery_mini_app_deliveries_total',
    help: 'Attempts to send an event to the server of a mini app, by outcome',
    labelNames: ['outcome'],
    registers: [registry],
  })
  for (const outcome of DELIVERY_OUTCOMES) deliveries.inc({ outcome }, 0)
  return (outcome) => deliveries.inc({ outcome })
}
