import type { Dialect } from '../../../kernel/storage/engines/engine.ts'

/** What the holder of an invite becomes, and who has used it until the account is made. */
export const INVITE_ROLE_MIGRATION = ({ bytes }: Dialect) => [
  'alter table invite add column role text',
  `alter table invite add column used_by ${bytes}`,
  'create index invite_used_by on invite (used_by) where used_by is not null',
]
