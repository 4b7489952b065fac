import type { SettingGroup } from './base/setting.ts'
import type { Reader, Storage } from './storage/storage.ts'
import type { StoredPart } from './storage/tables/schema.ts'

/** A secret in a row, which a key of the server seals. */
export type SealedSecret = {
  readonly id: string
  readonly secret: Uint8Array
  /** What the secret is bound to, so that no other row can have it. */
  readonly owner: readonly Uint8Array[]
}

export type SealedRows = {
  /** Those after an id, in the order of their ids. */
  read(storage: Pick<Reader, 'of'>, after: string, limit: number): Promise<SealedSecret[]>
  /** Gives secrets up that cannot be opened any more. */
  giveUp(storage: Pick<Storage, 'of' | 'write'>, ids: readonly string[]): Promise<void>
}

/**
 * What a feature brings, declared in its `feature.ts`. Nothing here loads what answers requests: commands and threads read it, too.
 */
export type Feature = StoredPart & {
  /** The name of its folder. */
  readonly name: string
  readonly settings?: readonly SettingGroup[]
  /** Rows with secrets for which the server has the key. */
  readonly sealed?: SealedRows
}

export const feature = <const F extends Feature>(declared: F): F => declared
