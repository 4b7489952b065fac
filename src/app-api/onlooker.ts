import type { Onlooker } from '../storage/app-hidden.ts'
import type { AppCaller } from './apps.ts'

/** Through which app, and as whom, a request looks at others. */
export const onlookerOf = ({ app }: AppCaller, viewer: number | undefined): Onlooker => ({
  app: app.uuid,
  viewer,
})
