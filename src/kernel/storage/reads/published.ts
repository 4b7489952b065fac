// Conditions that leave hidden content out of reads. Rows stay as they are while they are hidden, so
// that a page is full, costs one statement, and shows a decision of the operator from the moment its
// transaction commits, in every process.

/** Whether the account in a column or parameter is hidden: 1, else null. */
const hiddenAccount = (fid: string) =>
  `(select 1 from account_moderation hidden where hidden.fid = ${fid} and hidden.hidden = 1)`

// Scalar subqueries, not `not exists`: planners turn that into joins that lose the order of the list.

/** A condition on `message m`: not a cast that is hidden by itself. */
export const IS_PUBLISHED_CAST =
  '(select 1 from hidden_cast hidden where hidden.hash = m.hash) is null'

/** A condition on the key of a cast (see views.ts) in a column: not a cast that is hidden by itself. */
export const isPublishedKey = (column: string): string =>
  `(select 1 from hidden_cast hidden where hidden.hash = substr(${column}, 5)) is null`

/** Continues a `where` on `message m`: only messages that are published. */
export const IS_PUBLISHED = `and ${hiddenAccount('m.fid')} is null and ${IS_PUBLISHED_CAST}`

/** A condition on the fid in a column: only accounts that are published. */
export const isPublishedFid = (column: string): string => `${hiddenAccount(column)} is null`

/** The same for lists of many rows: engines find out once for each statement whether any account is hidden. */
export const isListedFid = (column: string): string =>
  `((select 1 from account_moderation where hidden = 1 limit 1) is null or ${isPublishedFid(column)})`

/** 1 when anything at all is hidden, else 0; engines evaluate it once for each statement. */
export const IS_ANYTHING_HIDDEN = `case when exists (select 1 from account_moderation where hidden = 1)
  or exists (select 1 from hidden_cast) then 1 else 0 end`
