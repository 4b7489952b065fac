import type { Route } from '../../kernel/http/route.ts'
import type { SigningContext } from './context.ts'
import { signInRoutes } from './sign-in-routes.ts'
import { signerRoutes } from './signer-routes.ts'

export type { SigningContext } from './context.ts'
export type { KeyRequestsPort, SignInPort } from './ports.ts'
export { SignerReply, signerJson } from './signer-routes.ts'
export { followAppSigners, reopenAppSigners } from './signer-states.ts'
export { Signers } from './signers.ts'
export { appSignerRows } from './tables/app-signers.ts'

export const signingRoutes = (context: SigningContext): Route[] => [
  ...signerRoutes(context),
  ...signInRoutes(context),
]
