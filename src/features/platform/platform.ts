import { unixSeconds } from '../../kernel/base/clock.ts'
import type { Job } from '../../kernel/jobs/job.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import type { Storage } from '../../kernel/storage/storage.ts'
import { Catalogue } from '../actions/catalogue.ts'
import { Badges } from '../badges/badges.ts'
import { type Channels, createChannels } from '../channels/channels.ts'
import { createKeyRequests, type KeyRequests } from '../key-requests/key-requests.ts'
import { createMiniApps, type MiniApps } from '../mini-apps/mini-apps.ts'
import type { PlatformContext, PlatformOptions } from './context.ts'
import { isFullGaslessKey } from './gasless-keys.ts'
import { checkToken } from './token.ts'

export type { PlatformContext, PlatformOptions } from './context.ts'

/** What clients need beyond the protocol: channels, blocks, actions, mini apps, badges and key requests. */
export type Platform = {
  readonly context: PlatformContext
  readonly channels: Channels
  /** The listed actions. */
  readonly catalogue: Catalogue
  readonly badges: Badges
  readonly miniApps: MiniApps
  readonly keyRequests: KeyRequests
  /** Ends streams that would keep an interface from closing. */
  endStreams(): void
  /** Tells the address of the interface once it listens. */
  listensAt(url: string): void
  /** Tells the address of the interface at the front door, which links have unless there is a public URL. */
  isFoundAt(url: string): void
  readonly jobs: readonly Job[]
}

/** Throws when the operator has suspended the fid: it may not change anything on the platform. */
export async function checkNotSuspended(
  { moderation }: Pick<Storage, 'moderation'>,
  fid: number,
): Promise<void> {
  if (!(await moderation.account(fid))?.suspended) return
  throw new Rejection(
    'unauthorized.suspended',
    `the operator of this server has suspended fid ${fid}`,
  )
}

const hostsOf = (url: string | undefined): string[] => (url ? [new URL(url).host] : [])

export function createPlatform(options: PlatformOptions): Platform {
  const { storage, clock, settings, accounts, verify, runJob, onError } = options
  let listening = ''
  let found: string | undefined
  const now = () => unixSeconds(clock)
  const publicUrl = () => settings.publicUrl ?? found ?? listening
  const ownHosts = () => [settings.publicUrl, found, listening].flatMap(hostsOf)
  const badges = new Badges({ storage, clock, settings: settings.badges, runJob, onError })
  const context: PlatformContext = {
    ...options,
    now,
    publicUrl,
    ownHosts,
    async hasBadge(fid) {
      return (await badges.current()).fids.includes(fid)
    },
    isActiveKey: async (fid, key) =>
      (await accounts.isActiveKey(fid, key)) ||
      (await isFullGaslessKey(storage, { fid, key }, now())),
    async actorOf(request, accept) {
      const actor = await context.callerOf(request, accept && { accept })
      await checkNotSuspended(storage, actor.fid)
      return actor
    },
    async callerOf(request, terms = {}) {
      const actor = await checkToken(request.headers.authorization, {
        accounts,
        isFullGaslessKey: (fid, key) => isFullGaslessKey(storage, { fid, key }, now()),
        verify,
        now: now(),
        maxLifetimeSeconds: settings.tokenLifetimeSeconds,
        audiences: settings.publicUrl ? [settings.publicUrl] : [publicUrl(), listening],
        ...terms,
      })
      request.chargeTo(`fid:${actor.fid}`)
      return actor
    },
  }
  const catalogue = new Catalogue(context)
  const keyRequests = createKeyRequests(context)
  const miniApps = createMiniApps(context)
  return {
    context,
    keyRequests,
    miniApps,
    endStreams: () => keyRequests.streams.close(),
    channels: createChannels(context),
    catalogue,
    badges,
    listensAt: (url) => {
      listening = url
    },
    isFoundAt: (url) => {
      found = url
    },
    jobs: [catalogue.job, keyRequests.maintenanceJob, badges.job, ...miniApps.jobs],
  }
}
