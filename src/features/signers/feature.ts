import { feature } from '../../kernel/feature.ts'
import { sealedSigners } from './sealed-signers.ts'

/** Keys with which apps sign for users through the app API. */
export const signers = feature({
  name: 'signers',
  needs: ['key-requests'],
  sealed: sealedSigners,
  serve: () => import('./serve.ts'),
})
