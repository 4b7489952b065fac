import { feature } from '../../kernel/feature.ts'
import { PLATFORM_SETTINGS } from './settings.ts'

/** The client platform: its features behind one interface, and its pages. */
export const platform = feature({
  name: 'platform',
  settings: [PLATFORM_SETTINGS],
  serve: () => import('./serve.ts'),
})
