import type { Accounts } from '../accounts/port.ts'
import type { VerifySignature } from '../accounts/signatures/signature.ts'
import { type Clock, unixSeconds } from '../base/clock.ts'
import type { RequestInfo } from '../http/route.ts'
import { Rejection } from '../protocol/rejection.ts'
import { HOUR_SECONDS } from '../protocol/time.ts'
import type { Storage } from '../storage/storage.ts'
import { isFullGaslessKey } from './gasless-keys.ts'
import { type Actor, checkToken, type TokenTerms } from './token.ts'

type PlatformOptions = {
  readonly storage: Storage
  readonly clock: Clock
  readonly accounts: Accounts
  /** Verifies custody addresses, contract wallets included. */
  readonly verify: VerifySignature
  readonly randomBytes: (size: number) => Uint8Array
  readonly onError: (error: unknown, what: string) => void
}

/** How far ahead an app's token may expire: a lost one is of use for no longer. */
const MAX_TOKEN_SECONDS = HOUR_SECONDS

/** The public URL of the client platform, without a slash at its end; undefined: its own address. */
export const platformUrlOf = ({ publicUrl }: { readonly publicUrl: string | undefined }) =>
  publicUrl === undefined ? undefined : `${publicUrl}/platform`

/** What every feature of the client platform is made with. */
export type PlatformContext = PlatformOptions & {
  /** Unix seconds. */
  now(): number
  /** The public URL of this interface, without a slash at its end. */
  publicUrl(): string
  /** The hosts of this server's own addresses, with their ports. */
  ownHosts(): readonly string[]
  /** Whether a key may sign tokens for an account now. */
  isActiveKey(fid: number, key: Uint8Array): Promise<boolean>
  /** Throws when the operator has suspended the fid: it may not change anything on the platform. */
  checkMayAct(fid: number): Promise<void>
  /** The caller, by the token of the request; only app keys may sign unless others are accepted. */
  actorOf(request: RequestInfo, accept?: readonly Actor['by'][]): Promise<Actor>
  /** The same for accounts that are suspended too. */
  callerOf(
    request: RequestInfo,
    terms?: Pick<TokenTerms, 'accept' | 'needsAudience'>,
  ): Promise<Actor>
}

/** What the routes of every feature of the client platform need; some need more. */
export type OnPlatform = { readonly context: PlatformContext }

/** The addresses at which the platform is reached, told once they are known. */
export type PlatformAddresses = {
  /** Tells the address of the interface once it listens. */
  listensAt(url: string): void
  /** Tells the address of the interface at the front door, which links have unless there is a public URL. */
  isFoundAt(url: string): void
}

const hostsOf = (url: string | undefined): string[] => (url ? [new URL(url).host] : [])

export function createPlatformContext(
  options: PlatformOptions,
  /** Its public URL; undefined: its own address. */
  given: string | undefined,
): { readonly context: PlatformContext; readonly addresses: PlatformAddresses } {
  const { storage, clock, accounts, verify } = options
  let listening = ''
  let found: string | undefined
  const now = () => unixSeconds(clock)
  const publicUrl = () => given ?? found ?? listening
  const isGaslessKey = (fid: number, key: Uint8Array) =>
    isFullGaslessKey(storage, { fid, key }, now())
  const context: PlatformContext = {
    ...options,
    now,
    publicUrl,
    ownHosts: () => [given, found, listening].flatMap(hostsOf),
    isActiveKey: async (fid, key) =>
      (await accounts.isActiveKey(fid, key)) || (await isGaslessKey(fid, key)),
    async checkMayAct(fid) {
      if (!(await storage.moderation.account(fid))?.suspended) return
      const text = `the operator of this server has suspended fid ${fid}`
      throw new Rejection('unauthorized.suspended', text)
    },
    async actorOf(request, accept) {
      const actor = await context.callerOf(request, accept && { accept })
      await context.checkMayAct(actor.fid)
      return actor
    },
    async callerOf(request, terms = {}) {
      const actor = await checkToken(request.headers.authorization, {
        accounts,
        isFullGaslessKey: isGaslessKey,
        verify,
        now: now(),
        maxLifetimeSeconds: MAX_TOKEN_SECONDS,
        audiences: given ? [given] : [publicUrl(), listening],
        ...terms,
      })
      request.chargeTo(`fid:${actor.fid}`)
      return actor
    },
  }
  const addresses = {
    listensAt: (url: string) => {
      listening = url
    },
    isFoundAt: (url: string) => {
      found = url
    },
  }
  return { context, addresses }
}
