import type { InterfaceOptions } from '../http/interface.ts'
import type { Route } from '../http/route.ts'
import type { HttpConfig } from '../http/settings.ts'
import type { Job } from '../jobs/job.ts'
import {
  type Module,
  type ModuleContext,
  type OnMerged,
  type OnReorg,
  perMinute,
} from '../module.ts'
import {
  type AccountDomains,
  accountDomains,
  DEPLOYED_CONTRACTS,
  LEAST_OWN_CHAIN_ID,
  type TypedDataDomain,
} from '../protocol/crypto/account-domains.ts'
import { networkName } from '../protocol/network-name.ts'
import type { OnChainEvent } from '../protocol/wire/onchain_event_pb.js'
import type { LiveSettings } from '../storage/live-settings.ts'
import type { EventLog } from '../storage/messages/event-log.ts'
import type { StorageConfig } from '../storage/settings.ts'
import type { Writer } from '../storage/storage.ts'
import { createFollowers, type Followers } from './chain/followers.ts'
import type { ChainConfig } from './chain/settings.ts'
import { claimSources } from './chain/source.ts'
import { chainSources } from './chain/sources.ts'
import { jsonRpcRoute } from './json-rpc.ts'
import { createLedger, type Ledger } from './ledger.ts'
import { countSignups } from './metrics.ts'
import { type MergeOptions, mergeAndTell } from './on-chain-events.ts'
import type { Accounts } from './port.ts'
import { storedAccounts } from './reads.ts'
import { accountRoutes, followedAccountRoutes, infoRoute, operatorAccountRoutes } from './routes.ts'
import {
  ACCOUNTS_SETTINGS,
  type AccountsConfig,
  type LedgerSettings,
  storageEnds,
} from './settings.ts'
import { keyRequestDomains } from './signatures/accepted-domains.ts'
import type { EvmClients } from './signatures/evm.ts'
import { type VerifySignature, verifySignature, walletSignatures } from './signatures/signature.ts'
import {
  claimSigningNetwork,
  type SigningNetwork,
  withAddresses,
} from './signatures/signing-network.ts'
import type { Admitting } from './signup.ts'

type Config = AccountsConfig &
  ChainConfig &
  HttpConfig &
  Pick<StorageConfig, 'network'> & { readonly opsToken: string | undefined }

/** The accounts of the network, and what other modules need of them. */
export type AccountsModule = Module & {
  readonly accounts: Accounts
  /** Undefined when accounts come from a chain. */
  readonly ledger: Ledger | undefined
  /** The followers of chains; none when accounts are kept in the ledger. */
  readonly followers: Followers
  /** The network that account signatures are made for; part of every EIP-712 domain. */
  readonly signingNetwork: SigningNetwork
  readonly domains: AccountDomains
  /** The domains that an app may sign its request for a key in. */
  readonly keyRequestDomains: readonly TypedDataDomain[]
  readonly verifiers: SignatureVerifiers
  /** Merges on-chain events of a mirrored hub, and tells all modules. */
  readonly mergeEvents: (
    tx: Writer,
    log: EventLog,
    events: readonly OnChainEvent[],
    options: MergeOptions,
  ) => Promise<unknown>
}

export type SignatureVerifiers = {
  /** Verifies custody addresses, contract wallets included. */
  readonly verify: VerifySignature
  /** The same, accepting signatures of plain accounts only in the form that the contracts accept. */
  readonly verifyAsContracts: VerifySignature
}

type AccountsModuleOptions = {
  readonly evm: EvmClients
  /** Told of changes in this order; modules that are made later are among them. */
  readonly modules: readonly Module[]
  /** Whether accounts are those of a mirrored hub, and not kept here. */
  readonly isMirror: boolean
  readonly admitting: Pick<Admitting, 'invites' | 'approvals'>
  readonly live: LiveSettings
  /** Throws unless a request has the bearer token of a user. */
  readonly checkToken: NonNullable<InterfaceOptions['checkToken']>
}

/** The ledger, or followers of a chain when the settings name one. */
export async function createAccountsModule(
  context: ModuleContext,
  config: Config,
  { evm, modules, isMirror, admitting, live, checkToken }: AccountsModuleOptions,
): Promise<AccountsModule> {
  const { storage, clock, logger, metrics, mode } = context
  const { isLeader } = context.jobs
  const onMerged: OnMerged = async (tx, log, events) => {
    for (const module of modules) await module.onMerged?.(tx, log, events)
  }
  const onReorg: OnReorg = async (tx, events) => {
    for (const module of modules) await module.onReorg?.(tx, events)
  }
  const sources = chainSources(config)
  await claimSources(storage, sources)
  const terms = { network: config.network, storageEnds: storageEnds(config) }
  const accounts = storedAccounts(storage, clock, terms)
  const isElsewhere = isMirror || sources.length > 0
  const signingNetwork = isElsewhere
    ? {
        ...followedNetwork(config),
        ...(isMirror && mirroredNetwork(config)),
      }
    : await ownNetwork(context, config)
  const { chainId } = signingNetwork
  const domains = accountDomains(signingNetwork)
  const requestDomains = keyRequestDomains(signingNetwork, domains.signedKeyRequestValidator)
  const signing = { chainId, domains, keyRequestDomains: requestDomains }
  // Contract wallets are on a chain, even when accounts are kept in the ledger.
  const verifiers = {
    verify: walletSignatures(evm, config.chainId),
    verifyAsContracts: walletSignatures(evm, config.chainId, { verify: verifySignature }),
  }
  const ledger = isElsewhere
    ? undefined
    : createLedger({
        storage,
        clock,
        admitting: {
          ...admitting,
          signup: live.use(ACCOUNTS_SETTINGS.settings.signup, config.signup),
        },
        settings: ledgerSettingsOf(config, mode, signing),
        onMerged,
        verify: verifiers.verifyAsContracts,
      })
  const followers = createFollowers(
    { storage, clock, onMerged, onReorg, metrics, log: logger, isLeader },
    sources,
  )
  const info = infoRoute(signingNetwork, networkName(config.network), ledger?.signup)
  return {
    name: 'accounts',
    accounts,
    ledger,
    followers,
    signingNetwork,
    domains,
    keyRequestDomains: requestDomains,
    verifiers,
    mergeEvents: (tx, log, events, options) => mergeAndTell(tx, log, events, onMerged, options),
    serves: { ...servesOf(config, mode, ledger !== undefined), checkToken },
    routes: {
      accounts: [
        info,
        jsonRpcRoute({
          accounts,
          // For everybody, so only the wallets of accounts may cause requests to a node.
          verify: walletSignatures(evm, config.chainId, {
            mayAsk: async (address) => (await accounts.fidOf(address)) !== undefined,
          }),
          asksChain: evm.has(config.chainId),
          network: signingNetwork,
        }),
        ...(ledger
          ? ledgerRoutes(ledger, context, config)
          : followedAccountRoutes(accounts, signing)),
      ],
    },
    operatorRoutes: ledger ? operatorAccountRoutes(ledger) : [],
    jobs: ledger ? ledgerJobs(ledger) : followers.jobs,
    ...(!ledger && { details: { chain: () => followers.status() } }),
  }
}

const servesOf = (
  { host, accountsPort, accountsLimit }: Config,
  mode: ModuleContext['mode'],
  isLedger: boolean,
): NonNullable<Module['serves']> => ({
  name: 'accounts',
  title: 'Rookery accounts',
  description: isLedger
    ? 'The account ledger: fids, custody, keys and storage, by signed calls.'
    : 'Fids, custody, keys and storage, as a chain has them.',
  errors: 'plain',
  host,
  port: accountsPort,
  limits: { write: perMinute(mode, accountsLimit) },
})

const ledgerSettingsOf = (
  { network, signupUnits, storageDays, confirmationMs }: Config,
  mode: ModuleContext['mode'],
  signing: Pick<LedgerSettings, 'chainId' | 'domains' | 'keyRequestDomains'>,
): Partial<LedgerSettings> => ({
  network,
  ...signing,
  signupUnits,
  storageDays,
  // Nobody pays for units, so only the operator gives more than those of a sign-up.
  ...(mode === 'production' && { maxExtraUnits: 0 }),
  confirmationMs,
})

const ledgerRoutes = (
  ledger: Ledger,
  { metrics, mode }: ModuleContext,
  { opsToken }: Config,
): Route[] =>
  accountRoutes(
    { ...ledger, forUsers: countSignups(metrics, ledger.forUsers) },
    mode === 'production' ? { token: opsToken } : undefined,
  )

const ledgerJobs = ({ settings, confirmJob, renewJob }: Ledger): Job[] =>
  settings.storageDays === undefined ? [confirmJob, renewJob] : [confirmJob]

/** The chain whose contracts users call. */
const followedNetwork = ({ chainId, chainContracts }: Config): SigningNetwork => ({
  source: 'chain',
  chainId,
  contracts: withAddresses(DEPLOYED_CONTRACTS, chainContracts),
})

/** What the settings say of a mirrored ledger. */
const mirroredNetwork = ({ ledgerChainId, ledgerContracts }: Config) => ({
  ...(ledgerChainId && { chainId: ledgerChainId }),
  contracts: withAddresses(DEPLOYED_CONTRACTS, ledgerContracts),
})

async function ownNetwork(
  { storage, mode, logger }: Pick<ModuleContext, 'storage' | 'mode' | 'logger'>,
  { ledgerChainId, ledgerContracts }: Config,
): Promise<SigningNetwork> {
  const given = { chainId: ledgerChainId, contracts: ledgerContracts }
  const { network, before } = await claimSigningNetwork(storage, { mode, given })
  const { chainId } = network
  if (before) {
    const change = { before: before.chainId, chainId }
    logger.warn(change, 'the settings changed what users sign for: earlier signatures do not hold')
  }
  if (chainId >= LEAST_OWN_CHAIN_ID) {
    logger.warn(
      { chainId },
      'wallets that sign only for chains that they know, such as MetaMask, cannot join: ROOKERY_LEDGER_CHAIN_ID=1 lets them (docs/accounts.md)',
    )
  }
  return network
}
