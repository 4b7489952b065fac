import type { SettingGroup } from './base/setting.ts'
import type { Serving } from './server.ts'
import type { StoredPart } from './storage/tables/schema.ts'

/**
 * What a feature brings, declared in its `feature.ts`. Nothing here loads what answers requests until a server calls `serve`: commands
 * and threads read it, too.
 */
export type Feature<Config = never> = StoredPart & {
  /** The name of its folder. */
  readonly name: string
  /** The features whose tables it reads, or without which it cannot work. */
  readonly needs?: readonly string[]
  readonly settings?: readonly SettingGroup[]
  /** Loads its `serve.ts`: what it brings to a server. */
  readonly serve?: () => Promise<Serving<Config>>
}

export const feature = <const F extends Feature>(declared: F): F => declared
