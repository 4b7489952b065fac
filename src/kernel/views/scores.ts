/** The score of an account, from 0.4 to 1; undefined before the first scores are computed. */
export type Scores = ((fid: number) => number) | undefined

/** What lists rank authors by. */
export type Standing = {
  readonly scores: () => Promise<Scores>
  /** Accounts whose casts are in no ranked list. */
  readonly excluded: () => Promise<ReadonlySet<number>>
}
