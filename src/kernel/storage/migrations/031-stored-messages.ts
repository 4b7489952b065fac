/** Bytes of a message in one column: each byte string of a row costs more to return than to find. */
const view = (columns: {
  readonly hashKey: string
  readonly signer: string
  readonly bytes: string
}) => {
  const joined = (...parts: string[]) => `cast(${parts.join(' || ')} as ${columns.bytes})`
  const sent = ['m.hash', columns.signer, 'm.signature']
  return `create view stored_message as
    select m.id, m.fid, m.store, m.type, m.timestamp, m.hash, ${columns.hashKey} as hash_key, m.slot, m.target,
      ${columns.signer} as signer, m.signature, m.form, m.data,
      ${joined(...sent, 'm.data')} as envelope,
      ${joined(...sent, "coalesce(m.target, '')", 'm.data', 'm.slot')} as packed
    from message m`
}

/** How messages are read: on the embedded store the columns of `message` leave out what can be computed (see 024). */
export const EMBEDDED_STORED_MESSAGE_MIGRATION = [
  view({
    hashKey: 'm.hash_key',
    signer: 'coalesce((select k.key from signer_key k where k.id = m.signer), m.signer)',
    bytes: 'blob',
  }),
  // Messages name the keys that signed them by numbers, which never change.
  `create trigger signer_number after insert on signer
    when not exists (select 1 from signer_key where key = new.key)
    begin insert into signer_key (key) values (new.key); end`,
]
export const SERVER_STORED_MESSAGE_MIGRATION = [
  view({ hashKey: 'm.hash', signer: 'm.signer', bytes: 'bytea' }),
]
