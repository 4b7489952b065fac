import { Rejection } from '../protocol/rejection.ts'
import type { Sql } from './engines/sql.ts'

/** Copies of everything stored, views included, by name. For development and tests. */
export type Snapshots = {
  /** Their names, in order. */
  list(): Promise<string[]>
  /** Keeps what is stored now under a name, in place of what had the name before. */
  save(name: string): Promise<void>
  /**
   * Puts back what was stored. In the transaction that ends the change, `finish` gets the ids up to which each lock had given any
   * when the change began: they must not be given again.
   */
  revert(name: string, finish: (sql: Sql, newest: NewestIds) => Promise<void>): Promise<void>
  remove(name: string): Promise<void>
  /** The directory with the files of a snapshot; undefined on PostgreSQL. */
  directoryOf(name: string): string | undefined
  /** Closes what going back keeps open. */
  close(): void
}

/** By the name of the lock under which ids are given. */
export type NewestIds = ReadonlyMap<string, number>

/** Each is as large as the network. */
export const MAX_SNAPSHOTS = 100

/** What a name may be: it names a directory, and a schema of PostgreSQL. */
export const SNAPSHOT_NAME = '^[a-z0-9][a-z0-9-]{0,39}$'

/** Of the schema of the tables and of the views: rows of another one do not fit. */
export type SnapshotVersion = {
  /** The last migration, and how many parts of migrations were run. */
  readonly schema: number
  readonly parts: number
  readonly views: number
}

export function checkVersion(name: string, found: SnapshotVersion, own: SnapshotVersion): void {
  const isSame = found.schema === own.schema && found.parts === own.parts
  if (isSame && found.views === own.views) return
  refuse(`the snapshot ${name} was made by another version of Rookery: make it again`)
}

export function checkRoom(name: string, kept: readonly string[]): void {
  if (kept.includes(name) || kept.length < MAX_SNAPSHOTS) return
  refuse(`there are ${MAX_SNAPSHOTS} snapshots already: delete one first`)
}

export function unknownSnapshot(name: string, kept: readonly string[]): never {
  const others = kept.length === 0 ? 'there are none' : `there are ${kept.join(', ')}`
  throw new Rejection('not_found', `there is no snapshot ${name}: ${others}`, { field: 'name' })
}

function refuse(message: string): never {
  throw new Rejection('bad_request.invalid_param', message, { field: 'name' })
}
