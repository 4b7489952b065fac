import type { Subject } from './calls.ts'
import type { People } from './people.ts'

/** One of several, and what it says. */
export type ActOn = { readonly path: string; readonly name: string; readonly about: string }

/** One about which it was decided, and the id of the entry in the log that says so. */
export type DoneOn = { readonly on: ActOn; readonly entry: number | undefined }

/** What is about to be done. Cases have a kind, for which there are templates. */
export type Act = {
  readonly kind?: 'leave' | 'warn' | 'hide' | 'remove-poll' | 'limit' | 'suspend'
  readonly title: string
  readonly consequence: string
  readonly path: string
  /** Where the same is decided about several, one after the other: instead of the path. */
  readonly each?: readonly ActOn[]
  readonly body?: object
  /** The rule that a report names, in words that its sender may have chosen. */
  readonly rule?: string | undefined
  /** The words that it is about. */
  readonly about?: string | undefined
  /** What is known of the account; for which words to begin with. */
  readonly subject?: Pick<Subject, 'fid' | 'castHash' | 'castText' | 'earlier'> | undefined
  readonly people?: People
  /** What to think of before. */
  readonly warning?: string | undefined
  /** What takes it back for those of `each` about which it was decided; undefined where nothing does. */
  readonly undo?: (done: readonly DoneOn[]) => Act | undefined
  /** What is told when it is decided. */
  readonly told?: string
  /** Runs when it is decided, or stopped: then with those of `each` that are left. */
  readonly done?: (left: readonly ActOn[]) => void
}
