import type { Accounts, KeyCalls } from '../../kernel/accounts/port.ts'
import type { VerifySignature } from '../../kernel/accounts/signatures/signature.ts'
import type { Clock } from '../../kernel/base/clock.ts'
import type { DeliveryOutcome } from '../../kernel/deliveries/courier.ts'
import type { Logger } from '../../kernel/http/logger.ts'
import type { RequestInfo } from '../../kernel/http/route.ts'
import type {
  AccountDomains,
  TypedDataDomain,
} from '../../kernel/protocol/crypto/account-domains.ts'
import type { SignedMessage } from '../../kernel/protocol/message.ts'
import type { Storage } from '../../kernel/storage/storage.ts'
import type { PlatformSettings } from './settings.ts'
import type { Actor, TokenTerms } from './token.ts'

/** Where accounts are kept, for users who sign. */
export type AccountsHome = {
  /** `ledger`: by this server; the chain id is then its own or that of the deployed contracts. */
  readonly source: 'ledger' | 'chain'
  readonly chainId: number
  /** Of the messages: mainnet, testnet or devnet. */
  readonly network: string
}

/** Messages about gasless keys, on their way to the hub. */
export type KeyMessages = {
  /** The number of the network that messages are made for. */
  readonly network: number
  /** Throws the Rejection with which the hub would refuse it now. */
  check(message: SignedMessage): Promise<void>
  /** Resolves when it is merged and flushed. Throws the Rejection when it is refused. */
  submit(message: SignedMessage): Promise<void>
}

export type PlatformOptions = {
  readonly storage: Storage
  readonly clock: Clock
  readonly accounts: Accounts
  /** Verifies custody addresses, contract wallets included. */
  readonly verify: VerifySignature
  /** The same, accepting signatures of plain accounts only in the form that the contracts accept. */
  readonly verifyAsContracts: VerifySignature
  /** Submits what users signed about keys to the accounts. */
  readonly keyCalls: KeyCalls
  readonly keyMessages: KeyMessages
  /** The EIP-712 domains of account signatures. */
  readonly domains: AccountDomains
  /** The domains that an app may sign its request for a key in. */
  readonly keyRequestDomains: readonly TypedDataDomain[]
  readonly accountsHome: AccountsHome
  readonly settings: PlatformSettings
  readonly randomBytes: (size: number) => Uint8Array
  /** Runs a job by its name, now. */
  readonly runJob: (name: string) => Promise<void>
  readonly onError: (error: unknown, what: string) => void
  readonly log: Pick<Logger, 'info' | 'warn'>
  /** Counts an attempt to send an event to the server of a mini app. */
  readonly countDelivery: (outcome: DeliveryOutcome) => void
}

/** The dependencies of every part of the platform. */
export type PlatformContext = PlatformOptions & {
  /** Unix seconds. */
  now(): number
  /** The public URL of this interface, without a slash at its end. */
  publicUrl(): string
  /** The hosts of this server's own addresses, with their ports. */
  ownHosts(): readonly string[]
  /** Whether the account has a power badge. */
  hasBadge(fid: number): Promise<boolean>
  /** Whether a key may sign tokens for an account now. */
  isActiveKey(fid: number, key: Uint8Array): Promise<boolean>
  /** The caller, by the token of the request; only app keys may sign unless others are accepted. */
  actorOf(request: RequestInfo, accept?: readonly Actor['by'][]): Promise<Actor>
  /** The same for accounts that are suspended too. */
  callerOf(
    request: RequestInfo,
    terms?: Pick<TokenTerms, 'accept' | 'needsAudience'>,
  ): Promise<Actor>
}
