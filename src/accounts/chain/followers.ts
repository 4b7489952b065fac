import type { Registry } from 'prom-client'
import type { ApplyOptions } from './apply.ts'
import { createFollower, type FollowerLog, type FollowerStatus } from './follower.ts'
import { createChainMetrics } from './metrics.ts'
import type { ChainSource } from './source.ts'

export type FollowersOptions = ApplyOptions & {
  readonly metrics: Registry
  readonly log: FollowerLog
}

/** Whatever is followed: the accounts' chain, and that of the tiers if there is one. */
export type Followers = {
  /** In the order of the sources, the accounts first. */
  status(): FollowerStatus[]
  /** Follows from now on; what it answers with ends that. */
  start(): () => Promise<void>
}

export function createFollowers(
  { metrics: registry, ...options }: FollowersOptions,
  sources: readonly ChainSource[],
): Followers {
  const gauges = sources.map((source, i) => ({
    source: source.name,
    urls: source.urls.length,
    status: () => followers[i]!.status(),
  }))
  const metrics = createChainMetrics(registry, gauges)
  const followers = sources.map((source) => createFollower({ ...options, source, metrics }))
  return {
    status: () => followers.map((follower) => follower.status()),
    start() {
      const stops = followers.map((follower) => follower.start())
      return async () => {
        await Promise.all(stops.map((stop) => stop()))
      }
    },
  }
}
