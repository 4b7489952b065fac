import type { HttpConfig } from '../http/settings.ts'
import { type Module, type ModuleContext, perMinute } from '../module.ts'
import { type AccountDomains, accountDomains, DEPLOYED_CONTRACTS } from '../protocol/eip712.ts'
import type { StorageConfig } from '../storage/settings.ts'
import { createFollowers, type Followers } from './chain/followers.ts'
import type { ChainConfig } from './chain/settings.ts'
import { claimSources } from './chain/source.ts'
import { chainSources } from './chain/sources.ts'
import type { EvmClients } from './evm.ts'
import { createLedger, type Ledger } from './ledger.ts'
import type { Accounts, OnMerged, OnReorg } from './port.ts'
import { storedAccounts } from './reads.ts'
import { accountRoutes, followedAccountRoutes, operatorAccountRoutes } from './routes.ts'
import type { AccountsConfig } from './settings.ts'
import { type VerifySignature, verifySignature, walletSignatures } from './signature.ts'

type Config = AccountsConfig & ChainConfig & HttpConfig & Pick<StorageConfig, 'network'>

/** Where accounts are kept, and what others need of them. */
export type AccountsModule = Module & {
  readonly accounts: Accounts
  /** Undefined when accounts come from a chain. */
  readonly ledger: Ledger | undefined
  /** What is followed; nothing when accounts are the ledger's. */
  readonly followers: Followers
  readonly domains: AccountDomains
  readonly verifiers: SignatureVerifiers
}

export type SignatureVerifiers = {
  /** For custody addresses, contract wallets among them. */
  readonly verify: VerifySignature
  /** The same, but of a plain account's signatures only those that the contracts take. */
  readonly verifyAsContracts: VerifySignature
}

export type AccountsModuleOptions = {
  readonly evm: EvmClients
  readonly onMerged: OnMerged
  readonly onReorg: OnReorg
}

/** The ledger, or followers of a chain when the settings name one. */
export async function createAccountsModule(
  { storage, clock, logger, metrics, mode, jobs: { isLeader } }: ModuleContext,
  config: Config,
  { evm, onMerged, onReorg }: AccountsModuleOptions,
): Promise<AccountsModule> {
  const { network, chainId } = config
  const sources = chainSources(config)
  await claimSources(storage, sources)
  const accounts = storedAccounts(storage, clock, network)
  const contracts = { ...DEPLOYED_CONTRACTS, ...config.chainContracts }
  const domains = accountDomains({ chainId, contracts })
  const verifiers = {
    verify: walletSignatures(evm, chainId),
    verifyAsContracts: walletSignatures(evm, chainId, verifySignature),
  }
  const { signupUnits, confirmationMs } = config
  const ledger =
    sources.length > 0
      ? undefined
      : createLedger({
          storage,
          clock,
          settings: { network, domains, signupUnits, confirmationMs },
          onMerged,
          verify: verifiers.verifyAsContracts,
        })
  const followers = createFollowers(
    { storage, clock, onMerged, onReorg, metrics, log: logger, isLeader },
    sources,
  )
  const description = ledger
    ? 'The account ledger: fids, custody, keys and storage, by signed calls.'
    : 'Fids, custody, keys and storage, as a chain has them.'
  return {
    name: 'accounts',
    accounts,
    ledger,
    followers,
    domains,
    verifiers,
    serves: {
      name: 'accounts',
      title: 'Rookery accounts',
      description,
      errors: 'plain',
      host: config.host,
      port: config.accountsPort,
      limits: { write: perMinute(mode, config.accountsLimit) },
    },
    routes: {
      accounts: ledger
        ? accountRoutes(ledger)
        : followedAccountRoutes(accounts, { chainId, domains }),
    },
    operatorRoutes: ledger ? operatorAccountRoutes(ledger) : [],
    jobs: ledger ? [ledger.confirmJob] : followers.jobs,
    ...(!ledger && { details: { chain: () => followers.status() } }),
  }
}
