import { Counter, Gauge, type Registry } from 'prom-client'
import type { Reader } from '../../kernel/storage/storage.ts'
import {
  MODERATION_ACTIONS,
  type ModerationAction,
  reportRows,
} from '../moderation-records/port.ts'

const MAX_COUNTED = 10_000

/** What moderation reports about itself. */
export type ModerationMetrics = { acted(action: ModerationAction): void }

export function createModerationMetrics(
  registry: Registry,
  { moderation, of }: Pick<Reader, 'moderation' | 'of'>,
): ModerationMetrics {
  const registers = [registry]
  const actions = new Counter({
    name: 'rookery_moderation_actions_total',
    help: 'Decisions of operators and of account owners, by action',
    labelNames: ['action'],
    registers,
  })
  for (const action of MODERATION_ACTIONS) actions.inc({ action }, 0)
  new Gauge({
    name: 'rookery_moderation_reports',
    help: 'Stored reports of users by state',
    labelNames: ['state'],
    registers,
    async collect() {
      for (const state of ['open', 'resolved'] as const) {
        this.set({ state }, await of(reportRows).count(state))
      }
    },
  })
  new Gauge({
    name: 'rookery_moderation_suspended_accounts',
    help: `Accounts that are suspended, counted up to ${MAX_COUNTED}`,
    registers,
    async collect() {
      this.set(await moderation.suspendedCount(MAX_COUNTED))
    },
  })
  return { acted: (action) => actions.inc({ action }) }
}
