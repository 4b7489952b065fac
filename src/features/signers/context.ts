import type { StoreContext } from '../../kernel/app-api/context.ts'
import type { KeyRequestCalls } from './ports.ts'
import type { Signers } from './signers.ts'

export type SigningContext = StoreContext & {
  readonly signers: Signers
  readonly platform: KeyRequestCalls
}
