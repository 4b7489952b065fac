import type { ReadsRows, Rows, WritesRows } from './rows.ts'
import type { StoredNameProof } from './tables/name-proofs.ts'

/** A username by the word of another hub: no message here proves it. */
export type ToldName = StoredNameProof & {
  /** A UserNameType. */
  readonly type: number
}

export type ToldNames = {
  byName(name: Uint8Array): Promise<ToldName | undefined>
  byNames(names: readonly Uint8Array[]): Promise<ToldName[]>
  /** By name. */
  byFid(fid: number): Promise<ToldName[]>
}

/** `outside`: not kept here; `frozen`: not followed any more, or only as far as others need it. */
export type FidScope = 'outside' | 'frozen'

/** What became of the steps of a request. */
export type StepsDone = {
  /** Whether every message of the request is stored, now or since before. */
  readonly areSettled: boolean
  /** Whether every message was stored by it. */
  readonly areMerged: boolean
}

/**
 * What a feature keeps about another hub whose data these are: the hub asks it where it has to know. The thread that merges
 * gets the same.
 */
export type Upstream = {
  readonly names: Rows<ToldNames, ToldNames>
  /** Whether these are, or were, the data of another hub. */
  isKnown(reader: ReadsRows): Promise<boolean>
  /** Where only some people are kept: why reads of this one may lack what there is. */
  scopeOf(reader: ReadsRows, fid: number): Promise<FidScope | undefined>
  /** How many messages of each set the other hub lets somebody have, by the number of the set. */
  limitsOf(reader: ReadsRows, fid: number): Promise<ReadonlyMap<number, number> | undefined>
  /** Writes what a request notes about the other hub, in the transaction of its steps. `note`: as the feature gave it. */
  writeNote(tx: WritesRows, note: unknown, done: StepsDone): Promise<void>
}
