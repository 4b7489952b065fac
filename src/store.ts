import { FEATURES } from './features/index.ts'
import type { Feature } from './kernel/feature.ts'
import { openStorage, type Storage, type StorageSettings } from './kernel/storage/storage.ts'
import { schemaOf } from './kernel/storage/tables/schema.ts'

/** What all features together store. */
export const SCHEMA = schemaOf(FEATURES)

/** Opens a store with the tables of all features, or of some: see `openStorage`. */
export const openWholeStore = (
  settings: StorageSettings,
  systemNow?: () => number,
  features: readonly Feature[] = FEATURES,
): Promise<Storage> => openStorage(settings, schemaOf(features), systemNow)
