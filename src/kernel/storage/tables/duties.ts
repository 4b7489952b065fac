// What must be said of each column that names an account or holds text, so that an erasure cannot forget it. An erasure removes
// what a person wrote and what tells about them; the account itself goes on.

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
