/** The version of the text that a translation belongs to. */
export const ORIGINALS_MIGRATION = ['alter table server_text add column original text']
