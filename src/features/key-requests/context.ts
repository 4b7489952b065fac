import type { KeyCalls } from '../../kernel/accounts/port.ts'
import type { VerifySignature } from '../../kernel/accounts/signatures/signature.ts'
import type { PlatformContext } from '../../kernel/platform/context.ts'
import type {
  AccountDomains,
  TypedDataDomain,
} from '../../kernel/protocol/crypto/account-domains.ts'
import type { SignedMessage } from '../../kernel/protocol/message.ts'
import type { KeyRequestConfig } from './settings.ts'

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

export type KeyRequestOptions = {
  readonly settings: KeyRequestConfig
  /** Verifies custody addresses, accepting signatures of plain accounts only in the form that the contracts accept. */
  readonly verifyAsContracts: VerifySignature
  /** Submits what users signed about keys to the accounts. */
  readonly keyCalls: KeyCalls
  readonly keyMessages: KeyMessages
  /** The EIP-712 domains of account signatures. */
  readonly domains: AccountDomains
  /** The domains that an app may sign its request for a key in. */
  readonly keyRequestDomains: readonly TypedDataDomain[]
  readonly accountsHome: AccountsHome
  /** Whether the account has a power badge. */
  readonly hasBadge: (fid: number) => Promise<boolean>
}

/** The dependencies of key requests. */
export type KeyRequestContext = PlatformContext & KeyRequestOptions
