import type { BadgeSettings } from './badges/settings.ts'

/** What an operator decides about a client platform. */
export type PlatformSettings = {
  /** How far ahead an app's token may expire. */
  readonly tokenLifetimeSeconds: number
  /** Where new channels that name no url of their own have theirs: this and their id. */
  readonly channelUrlBase: string
  /** How many channels one fid may create. */
  readonly channelsPerFid: number
  /** `scheme://signed-key-request?token=...` opens a request in the user's wallet. */
  readonly appScheme: string
  /** Where browsers find this interface, without a slash at its end; undefined: where it listens. */
  readonly publicUrl: string | undefined
  readonly badges: BadgeSettings
  /** Lets documents of actions be fetched from this machine, over http too: for development. */
  readonly fetchLoopback: boolean
}
