export { muteRoutes } from './mute-routes.ts'
export { mutedTermRows } from './tables/muted-terms.ts'
