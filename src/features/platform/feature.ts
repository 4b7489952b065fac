import { feature } from '../../kernel/feature.ts'
import { PLATFORM_SETTINGS } from './settings.ts'

/** The client platform: its tokens, its routes and what they share. */
export const platform = feature({
  name: 'platform',
  settings: [PLATFORM_SETTINGS],
})
