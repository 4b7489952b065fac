import { feature } from '../../kernel/feature.ts'
import { MEDIA_MIGRATION } from './migrations/041-media.ts'
import { MEDIA_TOTAL_MIGRATION } from './migrations/059-media-totals.ts'
import { MEDIA_DURATION_MIGRATION } from './migrations/065-durations.ts'
import { SENSITIVE_FILE_MIGRATION } from './migrations/066-sensitive-files.ts'
import { PREVIEW_MIGRATION } from './migrations/067-previews.ts'
import { MEDIA_SETTINGS } from './settings.ts'
import { MEDIA, MEDIA_GARBAGE, MEDIA_PARTS, MEDIA_TOTALS, MEDIA_UPLOADS } from './tables/media.ts'

declare module '../../kernel/storage/locks.ts' {
  interface WholeKinds {
    media: true
  }
}

/** Pictures and videos that people upload. */
export const media = feature({
  name: 'media',
  tables: [MEDIA, MEDIA_GARBAGE, MEDIA_PARTS, MEDIA_UPLOADS],
  migrations: [
    { id: 41, what: 'pictures and videos', statements: MEDIA_MIGRATION },
    { id: 59, what: 'totals of pictures and videos', statements: MEDIA_TOTAL_MIGRATION },
    { id: 65, what: 'durations of videos', statements: MEDIA_DURATION_MIGRATION },
    { id: 66, what: 'sensitive pictures and videos', statements: SENSITIVE_FILE_MIGRATION },
    { id: 67, what: 'previews of pictures', statements: PREVIEW_MIGRATION },
  ],
  settings: [MEDIA_SETTINGS],
  totals: MEDIA_TOTALS,
  serve: () => import('./serve.ts'),
})
