import { feature } from '../../kernel/feature.ts'
import { MIRROR_SETTINGS } from './settings.ts'

/** A copy of another hub, kept in step with it. */
export const mirror = feature({
  name: 'mirror',
  settings: [MIRROR_SETTINGS],
})
