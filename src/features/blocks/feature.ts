import { feature } from '../../kernel/feature.ts'

/** Accounts that may not answer, mention or quote an account. */
export const blocks = feature({
  name: 'blocks',
  serve: () => import('./serve.ts'),
})
