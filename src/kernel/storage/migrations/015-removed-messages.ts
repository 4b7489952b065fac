/** Which message left the store by an event. Null in events of earlier versions, which the views never read. */
export const REMOVED_MESSAGE_MIGRATION = ['alter table event add column removed bigint']
