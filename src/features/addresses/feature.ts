import { feature } from '../../kernel/feature.ts'

/** Primary addresses and verifications of accounts. */
export const addresses = feature({
  name: 'addresses',
  serve: () => import('./serve.ts'),
})
