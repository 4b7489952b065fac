import { feature } from '../../kernel/feature.ts'
import { MIRROR_CONTEXT_MIGRATION } from './migrations/057-mirror-context.ts'
import { MIRROR_SETTINGS } from './settings.ts'
import { MIRROR_CONTEXT, MIRROR_CONTEXT_CASTS } from './tables/mirror-context.ts'

// Of its tables, those that the merge thread writes and the hub reads are still the kernel's: storage/tables/mirror/.

/** A copy of another hub, kept in step with it. */
export const mirror = feature({
  name: 'mirror',
  tables: [MIRROR_CONTEXT, MIRROR_CONTEXT_CASTS],
  migrations: [{ id: 57, what: 'context of mirrored casts', statements: MIRROR_CONTEXT_MIGRATION }],
  settings: [MIRROR_SETTINGS],
})
