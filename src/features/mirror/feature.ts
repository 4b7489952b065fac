import { feature } from '../../kernel/feature.ts'
import { MIRROR_MIGRATION } from './migrations/036-mirror.ts'
import { MIRROR_NAME_MIGRATION } from './migrations/049-mirror-names.ts'
import { MIRROR_PEOPLE_MIGRATION } from './migrations/052-mirror-people.ts'
import { MIRROR_CONTEXT_MIGRATION } from './migrations/057-mirror-context.ts'
import { MIRROR_LINEAGE_MIGRATION } from './migrations/058-mirror-lineage.ts'
import { MIRROR_SETTINGS } from './settings.ts'
import {
  MIRROR_FIDS,
  MIRROR_MEMBERS,
  MIRROR_OUTBOX,
  MIRROR_QUARANTINE,
  MIRROR_RULES,
  MIRROR_SHARDS,
  MIRROR_SOURCES,
  MIRROR_WITHHELD,
} from './tables/mirror.ts'
import { MIRROR_CONTEXT, MIRROR_CONTEXT_CASTS } from './tables/mirror-context.ts'
import { MIRROR_NAMES } from './tables/mirror-names.ts'
import { mirrorUpstream } from './upstream.ts'

/** A copy of another hub, kept in step with it. */
export const mirror = feature({
  name: 'mirror',
  tables: [
    MIRROR_SOURCES,
    MIRROR_SHARDS,
    MIRROR_FIDS,
    MIRROR_RULES,
    MIRROR_MEMBERS,
    MIRROR_OUTBOX,
    MIRROR_QUARANTINE,
    MIRROR_WITHHELD,
    MIRROR_NAMES,
    MIRROR_CONTEXT,
    MIRROR_CONTEXT_CASTS,
  ],
  migrations: [
    { id: 36, what: 'mirror', statements: MIRROR_MIGRATION },
    { id: 49, what: 'names by the word of a mirrored hub', statements: MIRROR_NAME_MIGRATION },
    { id: 52, what: 'people of a mirror and their submits', statements: MIRROR_PEOPLE_MIGRATION },
    { id: 57, what: 'context of mirrored casts', statements: MIRROR_CONTEXT_MIGRATION },
    { id: 58, what: 'versions and paths of mirrors', statements: MIRROR_LINEAGE_MIGRATION },
  ],
  settings: [MIRROR_SETTINGS],
  upstream: mirrorUpstream,
  serve: () => import('./serve.ts'),
})
