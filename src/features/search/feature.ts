import { feature } from '../../kernel/feature.ts'

/** Search of casts, people and channels. */
export const search = feature({
  name: 'search',
  serve: () => import('./serve.ts'),
})
