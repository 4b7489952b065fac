/** What the reporter is told, without the name of who decided. */
export const REPORT_ANSWER_MIGRATION = ['alter table moderation_report add column answer text']
