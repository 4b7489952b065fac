/** Lists of one author's messages of some types are read from their index alone. */
export const MESSAGE_ORDER_MIGRATION = [
  'drop index message_order',
  'create index message_order on message (fid, store, timestamp, hash, type)',
]
