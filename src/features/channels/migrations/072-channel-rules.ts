/** Channels have rules of their own. */
export const CHANNEL_RULES_MIGRATION = ['alter table channel add column rules text']
