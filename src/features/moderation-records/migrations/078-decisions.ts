/**
 * Columns for the ids that connect a report, its answer and the act behind it (decision 0526), and one attempt to fill them for rows of
 * earlier versions: entries of the log are matched by actor, reason and time, and of the reports only those answered with a warning.
 */
const DONE_WITH = `p.actor = moderation_log.actor and p.reason = moderation_log.reason and p.at <= moderation_log.at`
const ANSWERS = "action in ('resolve', 'answer') and goes_with is null"
/** Entries before an answer among which an act is looked for that was done once for several cases. */
const LOOKED_BACK = 500
const WARNED_ONCE_SECONDS = 3_600

export const MATCH_DECISIONS = [
  `update moderation_log set goes_with = id - 1 where ${ANSWERS} and exists (
     select 1 from moderation_log p where p.id = moderation_log.id - 1 and ${DONE_WITH}
       and p.at = moderation_log.at and p.action not in ('resolve', 'answer'))`,
  `update moderation_log set goes_with = (
     select max(p.id) from moderation_log p
     where p.fid = moderation_log.fid and p.id < moderation_log.id and p.id >= moderation_log.id - ${LOOKED_BACK}
       and ${DONE_WITH} and p.at > moderation_log.at - ${WARNED_ONCE_SECONDS}
       and p.action in ('warn', 'limit', 'suspend'))
   where action = 'resolve' and goes_with is null`,
  `update moderation_report set decision = (
     select max(l.id) from moderation_log l
     where l.fid = moderation_report.fid and l.action = 'resolve' and l.goes_with is not null
       and l.cast_hash is not distinct from moderation_report.cast_hash
       and l.name is not distinct from moderation_report.mini_app
       and l.actor || ': ' || l.reason = moderation_report.resolution
       and l.at <= moderation_report.resolved_at + 60)
   where act = 'warn' and resolved_at is not null`,
]

export const DECISION_MIGRATION = [
  'alter table moderation_report add column decision bigint',
  'alter table report_answer add column decision bigint',
  'alter table moderation_log add column goes_with bigint',
  ...MATCH_DECISIONS,
]
