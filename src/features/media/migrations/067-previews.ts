import type { Dialect } from '../../../kernel/storage/engines/engine.ts'

/** From what clients draw a blurred preview of a picture until it has come. Those that are kept already have none. */
export const PREVIEW_MIGRATION = ({ bytes }: Dialect) => [
  `alter table media add column thumbhash ${bytes}`,
]
