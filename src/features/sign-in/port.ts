import { port } from '../../kernel/ports.ts'
import type { AppSignIn } from './app-sign-in.ts'
import type { SigningKeys } from './keys.ts'

export type { SigningKeys } from './keys.ts'
export { endOfNonce, makeNonce } from './nonces.ts'
export { signInRows } from './tables/sign-in.ts'

/** Sign-in messages, and the key of this server that secrets follow from. */
export type SignIn = { readonly keys: SigningKeys; readonly ofApps: AppSignIn }
export const SIGN_IN = port<SignIn>('sign-in')
