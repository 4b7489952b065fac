import type { Accounts, KeyCalls } from '../accounts/port.ts'
import type { VerifySignature } from '../accounts/signature.ts'
import type { Clock } from '../clock.ts'
import type { RequestInfo } from '../http/route.ts'
import type { AccountDomains } from '../protocol/eip712.ts'
import type { Storage } from '../storage/storage.ts'
import type { PlatformSettings } from './settings.ts'
import type { Actor } from './token.ts'

export type PlatformOptions = {
  readonly storage: Storage
  readonly clock: Clock
  readonly accounts: Accounts
  /** For custody addresses, contract wallets among them. */
  readonly verify: VerifySignature
  /** The same, but of a plain account's signatures only those that the contracts take. */
  readonly verifyAsContracts: VerifySignature
  /** What users sign about keys, on its way to the accounts. */
  readonly keyCalls: KeyCalls
  /** Of what is signed for the accounts. */
  readonly domains: AccountDomains
  readonly settings: PlatformSettings
  readonly randomBytes: (size: number) => Uint8Array
  /** Runs a job by its name, now. */
  readonly runJob: (name: string) => Promise<void>
  readonly onError: (error: unknown, what: string) => void
}

/** What every part of the platform works with. */
export type PlatformContext = PlatformOptions & {
  /** Unix seconds. */
  now(): number
  /** Where browsers find this interface, without a slash at its end. */
  publicUrl(): string
  /** Whoever calls, by the token in the request; an app's key unless others are accepted. */
  actorOf(request: RequestInfo, accept?: readonly Actor['by'][]): Promise<Actor>
}
