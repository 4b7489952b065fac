import { FEATURES } from './features/index.ts'
import { openStorage, type Storage, type StorageSettings } from './kernel/storage/storage.ts'
import { schemaOf } from './kernel/storage/tables/schema.ts'

/** What all features together store. */
export const SCHEMA = schemaOf(FEATURES)

/** Opens a store with the tables of all features: see `openStorage`. */
export const openWholeStore = (
  settings: StorageSettings,
  systemNow?: () => number,
): Promise<Storage> => openStorage(settings, SCHEMA, systemNow)
