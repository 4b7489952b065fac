// What must be said of each column that names an account or holds text, so that neither an erasure nor an export can forget it. An
// erasure removes what a person wrote and what tells about them; the account itself goes on.

/** Why something stays after an erasure. */
export type Kept = { readonly kept: string }

/**
 * What the erasure of the account in a column does to the row: `delete` it, `empty` its columns of words, nothing for a
 * reason, or what the module of that name does itself (`Module.erase`), because it has more to remove than rows.
 * test/erasure.test.ts fills every table and looks whether it does.
 */
export type Erasure = 'delete' | 'empty' | Kept | { readonly by: string }

/** Reasons that several tables share. docs/moderation.md lists them. */
export const KEPT = {
  ownership: { kept: 'Says who owns a fid, its keys, names and storage: the account goes on.' },
  choice: { kept: 'A choice of the account without words, such as a follow of a channel.' },
  others: { kept: 'What somebody else said, such as a block of the account.' },
  decision: { kept: 'What an operator or a moderator decided about the account.' },
  bookkeeping: { kept: 'Numbers and hashes by which this server limits, pays and compares.' },
} as const satisfies Record<string, Kept>

/** Whether the export of the account in a column has the row, or why not. test/own-rows.test.ts fills every table and looks. */
export type Exported = true | { readonly not: string }

/** Reasons that several tables share. */
export const NOT_EXPORTED = {
  others: { not: 'Somebody else said or did it: it is in the export of that account.' },
  derived: { not: 'Made from messages, which are exported themselves.' },
  bookkeeping: { not: 'Numbers and hashes by which this server limits, compares and copies.' },
  transit: { not: 'On its way: the export has what it was made from.' },
} as const satisfies Record<string, Exclude<Exported, true>>

/** Reasons for which a column of an exported row is left out. */
export const WITHHELD = {
  secret: 'Who has it may act for the account, an app or this server.',
  private: 'Tells who decided, or a note that is not for the account.',
  others: 'About somebody else.',
} as const
