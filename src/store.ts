import { FEATURES } from './features/index.ts'
import type { Feature } from './kernel/feature.ts'
import {
  joinStorage,
  openStorage,
  type Storage,
  type StorageSettings,
} from './kernel/storage/storage.ts'
import { schemaOf } from './kernel/storage/tables/schema.ts'

/** What all features together store. */
export const SCHEMA = schemaOf(FEATURES)

/** Opens a store with the tables of all features, or of some: see `openStorage`. */
export const openWholeStore = (
  settings: StorageSettings,
  systemNow?: () => number,
  features: readonly Feature[] = FEATURES,
): Promise<Storage> => openStorage(settings, schemaOf(features), systemNow)

/** Connects to a store that is open already, with the tables of all features: see `joinStorage`. */
export const joinWholeStore = (settings: StorageSettings): Storage =>
  joinStorage({ ...settings, declared: SCHEMA.declared }, SCHEMA)
