import type { Registry } from 'prom-client'
import type { Job } from '../../jobs/job.ts'
import type { ApplyOptions } from './apply.ts'
import { ChainFollower, type FollowerLog, type FollowerStatus } from './follower.ts'
import { createChainMetrics } from './metrics.ts'
import type { ChainSource } from './source.ts'

type FollowersOptions = ApplyOptions & {
  readonly metrics: Registry
  readonly log: FollowerLog
  /** Only the leader follows. */
  readonly isLeader: () => boolean
}

/** All that is followed: the chain of accounts, and that of tier purchases if there is one. */
export type Followers = {
  /** In the order of the sources, the accounts first. */
  status(): FollowerStatus[]
  /** One for each source. */
  readonly jobs: readonly Job[]
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
  const followers = sources.map((source) => new ChainFollower({ ...options, source, metrics }))
  return {
    status: () => followers.map((follower) => follower.status()),
    // Every process runs these jobs: those that do not lead still report the head of the chain.
    jobs: followers.map((follower, i): Job => {
      const { name, pollMs } = sources[i]!
      return {
        name: `follow ${name}`,
        scope: 'process',
        everyMs: pollMs,
        firstAfterMs: 0,
        run: async ({ signal, repeatAfter }) => repeatAfter(await follower.follow(signal)),
      }
    }),
  }
}
