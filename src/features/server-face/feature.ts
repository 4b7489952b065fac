import { feature } from '../../kernel/feature.ts'
import { SERVER_FACE_MIGRATION } from './migrations/045-server-face.ts'
import { ORIGINALS_MIGRATION } from './migrations/076-originals.ts'
import { FACE_SETTINGS } from './settings.ts'
import { SERVER_TEXTS } from './tables/server-texts.ts'

/** Name, picture, description and rules of the server. */
export const serverFace = feature({
  name: 'server-face',
  needs: ['moderation-records'],
  tables: [SERVER_TEXTS],
  migrations: [
    {
      id: 45,
      what: 'texts of the server',
      statements: SERVER_FACE_MIGRATION,
    },
    { id: 76, what: 'texts to which translations belong', statements: ORIGINALS_MIGRATION },
  ],
  settings: [FACE_SETTINGS],
  serve: () => import('./serve.ts'),
})
