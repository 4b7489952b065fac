import type { AccountsModule } from './accounts/module.ts'
import type { KeyCalls } from './accounts/port.ts'
import type { EvmClients } from './accounts/signatures/evm.ts'
import type { Approvals, InviteCodes } from './accounts/signup.ts'
import type { Renderer } from './base/pictures/renderer.ts'
import type { RecentErrors } from './http/recent-errors.ts'
import type { Forwards } from './hub/hub.ts'
import type { HubModule } from './hub/module.ts'
import type { NameFeed } from './hub/names.ts'
import type { MirrorInfo } from './hub/reads/reads.ts'
import type { UnreadableHops } from './limits/unreadable-hops.ts'
import type { Module, ModuleContext } from './module.ts'
import type { PlatformContext } from './platform/context.ts'
import { type Ports, port } from './ports.ts'
import type { LiveSettings, WrittenText } from './storage/live-settings.ts'
import type { ViewsModule } from './views/module.ts'

// What features are made with, and what the kernel asks of them. It goes without what none of them offers.

/** Codes that let people register at the ledger. */
export const INVITE_CODES = port<InviteCodes>('invite codes')

/** Whom the operator and moderators have let in. */
export const APPROVALS = port<Approvals>('approvals')

/** The log of names of this server. */
export const OWN_NAMES = port<NameFeed>('names of this server')

/** What the operator has written in place of settings. */
export const WRITTEN_TEXT = port<WrittenText>('written texts')

/** The data are a copy of another hub's: nobody registers here. */
export type CopyTerms = {
  /** Why no messages of clients are taken; undefined: they are forwarded. */
  readonly refusesSubmits: string | undefined
  /** Whether only some people are copied. */
  readonly isPartial: boolean
}
export const COPY_TERMS = port<CopyTerms>('terms of a copy')

/** The hub that is copied now. */
export type CopiedHub = {
  readonly info: (() => Promise<MirrorInfo>) | undefined
  /** Takes submits in place of this hub. */
  readonly forwarder: Forwards | undefined
  /** The ids of the servers through which the data have come: this one, its source and so on. */
  readonly path: () => Promise<string>
}
export const COPIED_HUB = port<CopiedHub>('copied hub')

/** Carries what users sign about keys to the chain that their accounts are on. */
export const CHAIN_KEY_CALLS = port<KeyCalls>('key calls on a chain')

/** What there is before the modules of the kernel are made. */
export type ServerStart<Config> = ModuleContext &
  Pick<Ports, 'offer'> & {
    readonly config: Config
  }

/** What every feature is made with. */
export type Server<Config> = ModuleContext &
  Pick<Ports, 'offer' | 'find' | 'of'> &
  Pick<
    AccountsModule,
    | 'accounts'
    | 'ledger'
    | 'followers'
    | 'signingNetwork'
    | 'domains'
    | 'keyRequestDomains'
    | 'verifiers'
    | 'mergeEvents'
  > &
  Pick<HubModule, 'hub'> &
  Pick<ViewsModule, 'views' | 'deliveries'> & {
    readonly config: Config
    /** Settings that the operator may change while the server runs. */
    readonly live: LiveSettings
    /** The id of this server. */
    readonly ownId: string
    readonly evm: EvmClients
    /** What users sign about keys, on its way to wherever accounts are kept. */
    readonly keyCalls: KeyCalls
    readonly platform: PlatformContext
    /** Of the kernel and of all features, in the order in which they start; those that are made later come to it. */
    readonly modules: readonly Module[]
    readonly renderer: Renderer
    /** The thread that copies the store: it opens one with the tables of all features. */
    readonly backupScript: URL
    readonly recentErrors: RecentErrors
    readonly hops: UnreadableHops
  }

/** What the `serve.ts` of a feature exports. */
export type Serving<Config> = {
  /** Offers what the kernel asks for when it is made; throws when the store or the settings do not fit. */
  readonly begin?: (server: ServerStart<Config>) => void | Promise<void>
  /** Offers what others ask of the feature, and returns what it brings; nothing where the settings leave it out. */
  readonly serve: (server: Server<Config>) => Module | undefined | Promise<Module | undefined>
}
