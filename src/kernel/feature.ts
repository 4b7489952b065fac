import type { SettingGroup } from './base/setting.ts'
import type { StoredPart } from './storage/tables/schema.ts'

/**
 * What a feature brings, declared in its `feature.ts`. Nothing here loads what answers requests: commands and threads read it, too.
 */
export type Feature = StoredPart & {
  /** The name of its folder. */
  readonly name: string
  readonly settings?: readonly SettingGroup[]
}

export const feature = <const F extends Feature>(declared: F): F => declared
