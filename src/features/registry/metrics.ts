import { Counter, type Registry } from 'prom-client'

export type RegistryMetrics = {
  /** `outcome`: transfer, repeat, or the code of the refusal. */
  answered(kind: 'register' | 'move' | 'release', outcome: string): void
}

export function createRegistryMetrics(registry: Registry): RegistryMetrics {
  const answers = new Counter({
    name: 'rookery_registry_requests_total',
    help: 'Requests for a change of hands by kind and outcome (transfer, repeat, or the code of the refusal)',
    labelNames: ['kind', 'outcome'],
    registers: [registry],
  })
  return { answered: (kind, outcome) => answers.inc({ kind, outcome }) }
}
