/** Reports may be about a mini app, by its domain. */
export const MINI_APP_REPORT_MIGRATION = ['alter table moderation_report add column mini_app text']
