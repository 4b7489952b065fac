import type { Onlooker } from '../../storage/reads/app-hidden.ts'
import type { AppCaller } from '../apps.ts'

/** The app of a request and the user who looks through it. */
export const onlookerOf = ({ app }: AppCaller, viewer: number | undefined): Onlooker => ({
  app: app.uuid,
  viewer,
})
