import { feature } from '../../kernel/feature.ts'
import { REGISTRY_MIGRATION } from './migrations/002-registry.ts'
import { REGISTRY_SETTINGS } from './settings.ts'
import { NAME_HOLDERS, NAME_TRANSFERS } from './tables/name-transfers.ts'

/** The name registry: a log of transfers. */
export const registry = feature({
  name: 'registry',
  tables: [NAME_HOLDERS, NAME_TRANSFERS],
  newestIds: { registry: ['select max(id) as newest from name_transfer'] },
  migrations: [{ id: 2, what: 'name registry', statements: REGISTRY_MIGRATION }],
  settings: [REGISTRY_SETTINGS],
  serve: () => import('./serve.ts'),
})
