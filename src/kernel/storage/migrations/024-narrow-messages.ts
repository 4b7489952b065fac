// The embedded store computes what it can of a message (docs/design/submits.md). What is on disk depends on these texts.

/** Bytes of a hash in the index of authors' lists. They only order messages of one second; ties keep the whole hash. */
export const HASH_KEY_BYTES = 4

/** Bytes of a hash by which casts are found: enough that a second cast with the same is not worth its work. */
export const CAST_KEY_BYTES = 6

/** Values of whole_hash: rows whose index entry has the beginning of a hash, that tie with another one, of earlier versions. */
export const WHOLE_HASH = { no: 0, tied: 1, earlier: 2 } as const

/** Bytes of another column in a slot: those from an offset on, or so many of them. */
type SlotPart = { readonly of: 'hash' | 'target'; readonly from: number; readonly length?: number }

/**
 * Messages whose slots the table computes, by their type: the set and the fid, and then parts of other columns. Later types keep
 * their slots.
 */
export const COMPUTED_SLOTS: readonly {
  readonly type: number
  readonly set: number
  readonly parts: readonly SlotPart[]
}[] = [
  // Casts, reactions and links.
  { type: 1, set: 1, parts: [{ of: 'hash', from: 0 }] },
  { type: 3, set: 3, parts: [{ of: 'target', from: 1 }] },
  {
    type: 5,
    set: 2,
    parts: [
      { of: 'target', from: 5 },
      { of: 'target', from: 1, length: 4 },
    ],
  },
]

function partText({ of, from, length }: SlotPart): string {
  if (from === 0) return of
  return `substr(${of}, ${from + 1}${length === undefined ? '' : `, ${length}`})`
}

const COMPUTED_SLOT = `case type
${COMPUTED_SLOTS.map(
  ({ type, set, parts }) =>
    `  when ${type} then cast(unhex(printf('0${set}%08x', fid)) || ${parts.map(partText).join(' || ')} as blob)`,
).join('\n')} end`

/**
 * kept_slot: empty when the slot can be computed. Otherwise, and in rows of earlier versions, the slot.
 * whole_hash: whether the index of authors' lists contains the whole hash. It has to when another message of the same
 * list and second has a hash with the same first bytes.
 * signer: the number of a `signer_key`, or the key itself where it has none and in rows of earlier versions.
 */
export const NARROW_MESSAGE_MIGRATION = [
  'drop index message_slot',
  'drop index message_order',
  'drop index message_cast',
  'alter table message rename column slot to kept_slot',
  `alter table message add column whole_hash bigint not null default ${WHOLE_HASH.earlier}`,
  `alter table message add column slot blob generated always as (
     case when kept_slot = x'' then coalesce(${COMPUTED_SLOT}, x'') else kept_slot end) virtual`,
  `alter table message add column hash_key blob generated always as (
     case when whole_hash = ${WHOLE_HASH.no} then substr(hash, 1, ${HASH_KEY_BYTES}) else hash end) virtual`,
  'create unique index message_slot on message (slot)',
  'create index message_order on message (fid, store, timestamp, hash_key, type)',
  `create index message_cast on message (substr(hash, 1, ${CAST_KEY_BYTES})) where type = 1`,
  `create index message_tied on message (id) where whole_hash = ${WHOLE_HASH.tied}`,
  'create table signer_key (id integer primary key, key blob not null unique)',
  'insert into signer_key (key) select distinct key from signer',
]

/** Lists of an author ask first whether any of their casts is hidden by itself. */
export const HIDDEN_CAST_FID_MIGRATION = ['create index hidden_cast_fid on hidden_cast (fid)']
