import { feature } from '../../kernel/feature.ts'
import { RELAY_MIGRATION } from './migrations/008-relay.ts'
import { RELAY_SETTINGS } from './settings.ts'
import { RELAY_ATTEMPTS, RELAY_GAS, RELAYS } from './tables/relays.ts'

/** Transactions that this server sends for its users on a chain. */
export const relay = feature({
  name: 'relay',
  tables: [RELAY_ATTEMPTS, RELAY_GAS, RELAYS],
  migrations: [{ id: 8, what: 'relayed transactions', statements: RELAY_MIGRATION }],
  settings: [RELAY_SETTINGS],
  serve: () => import('./serve.ts'),
})
