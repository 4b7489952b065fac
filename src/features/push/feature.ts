import { feature } from '../../kernel/feature.ts'
import { PUSH_MIGRATION } from './migrations/050-pushes.ts'
import { SHOWN_MIGRATION } from './migrations/071-shown.ts'
import { PUSH_DEVICES, PUSH_KEYS, PUSH_SHOWN, PUSH_WAITING } from './tables/pushes.ts'

declare module '../../kernel/storage/locks.ts' {
  interface WholeKinds {
    pushes: true
  }
}

/** Notifications on devices by Web Push. */
export const push = feature({
  name: 'push',
  needs: ['app-api', 'languages', 'server-face'],
  tables: [PUSH_DEVICES, PUSH_KEYS, PUSH_SHOWN, PUSH_WAITING],
  migrations: [
    { id: 50, what: 'devices that are told of notifications', statements: PUSH_MIGRATION },
    { id: 71, what: 'held messages that are shown', statements: SHOWN_MIGRATION },
  ],
  serve: () => import('./serve.ts'),
})
