import type { SettingGroup } from './base/setting.ts'
import type { Migration } from './storage/tables/schema.ts'
import type { AnyTable } from './storage/tables/tables.ts'

/**
 * What a feature brings, declared in its `feature.ts`. Nothing here loads what answers requests: commands and threads read it, too.
 */
export type Feature = {
  /** The name of its folder. */
  readonly name: string
  readonly tables?: readonly AnyTable[]
  /** Append-only. Their numbers order those of all features. */
  readonly migrations?: readonly Migration[]
  readonly settings?: readonly SettingGroup[]
}

export const feature = <const F extends Feature>(declared: F): F => declared
