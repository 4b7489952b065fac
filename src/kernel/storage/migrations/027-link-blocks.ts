/** The slot of a link: its set (1 byte), the fid (4), the type (8), the target (4). */
const TARGET = 'substr(slot, 14, 4)'
const EPOCH_SECONDS = 1_609_459_200

const backfill = (
  type: string,
  target: string,
) => `insert into block (blocker, blocked, created_at, link_at)
   select fid, blocked, at, at from (
     select fid, ${target} as blocked, timestamp + ${EPOCH_SECONDS} as at from message
      where store = 2 and type = 5 and substr(slot, 6, 8) = ${type}) as link
    where fid <> blocked
   on conflict (blocker, blocked) do update
     set link_at = excluded.link_at,
       created_at = case when excluded.created_at < block.created_at then excluded.created_at else block.created_at end`

/** The embedded store has no function that reads a number from bytes: it adds up the eight hex digits. */
const hexDigits = [7, 6, 5, 4, 3, 2, 1, 0].map(
  (power, i) => `(instr('123456789ABCDEF', substr(hex(${TARGET}), ${i + 1}, 1)) * ${16 ** power})`,
)

/** Blocks by links of type `block` beside those of the client platform: when each of the two was made, if it was. */
export const LINK_BLOCK_MIGRATION = [
  'alter table block add column platform_at bigint',
  'alter table block add column link_at bigint',
  'update block set platform_at = created_at',
]
export const EMBEDDED_LINK_BLOCK_MIGRATION = [
  backfill("x'626c6f636b000000'", hexDigits.join(' + ')),
]
export const SERVER_LINK_BLOCK_MIGRATION = [
  backfill(
    "decode('626c6f636b000000', 'hex')",
    `('x' || encode(${TARGET}, 'hex'))::bit(32)::bigint`,
  ),
]
