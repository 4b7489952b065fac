import { existsSync } from 'node:fs'
import { copyFile, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { KEY_FILE_NAMES } from '../../../base/server-key.ts'
import { type Locking, lockWhole, WHOLE_LOCKS } from '../../locks.ts'
import {
  checkRoom,
  checkVersion,
  type NewestIds,
  type Snapshots,
  type SnapshotVersion,
  unknownSnapshot,
} from '../../snapshots.ts'
import type { Sql } from '../sql.ts'
import { copyDatabase } from '../sqlite-content.ts'
import { type OpenCopy, openCopy, unchanging } from './sqlite-rows.ts'

const DIRECTORY = 'snapshots'
/** The end of the name of one that is being made. */
const PARTIAL = '.partial'
const OWNER_ONLY_DIRECTORY = 0o700

type Place = {
  readonly dataDir: string
  readonly storeFile: string
  /** Undefined when the views are left out. */
  readonly viewsFile: string | undefined
  /** Whether a commit waits for the disk. */
  readonly flushes: boolean
}

/** Snapshots as copies of the files of an embedded store, in a directory beside it. */
export function sqliteSnapshots(locking: Locking, place: Place): Snapshots {
  const { dataDir, storeFile, viewsFile } = place
  const root = join(dataDir, DIRECTORY)
  const directoryOf = (name: string) => join(root, name)
  const list = async () => {
    const names = await readdir(root).catch(() => [])
    return names.filter((name) => !name.endsWith(PARTIAL)).sort()
  }
  const copyOf = (name: string, file: string) => join(directoryOf(name), basename(file))
  // A suite goes back to one snapshot again and again: its files stay open, with all statements prepared.
  let opened: { readonly name: string; readonly copies: OpenCopies } | undefined
  const close = () => {
    opened?.copies.store.close()
    opened?.copies.views?.close()
    opened = undefined
  }
  const open = async (name: string): Promise<OpenCopies> => {
    if (opened?.name === name) return opened.copies
    close()
    if (!existsSync(copyOf(name, storeFile))) unknownSnapshot(name, await list())
    const files = { store: storeFile, views: viewsFile }
    checkVersion(name, versionIn(filesOf(files, name, copyOf), true), versionIn(files, false))
    const copies = openCopies(place, (file) => copyOf(name, file))
    opened = { name, copies }
    return copies
  }
  return {
    list,
    directoryOf,
    close,
    async save(name) {
      checkRoom(name, await list())
      close()
      const partial = directoryOf(name) + PARTIAL
      await rm(partial, { recursive: true, force: true })
      await mkdir(partial, { recursive: true, mode: OWNER_ONLY_DIRECTORY })
      // The views first: they catch up with a log that is ahead of them, and are built anew beside one that is behind.
      for (const file of [viewsFile, storeFile]) {
        if (file !== undefined) await copyDatabase(file, join(partial, basename(file)))
      }
      // Another server that begins with the copy must not wait for the end of leases of this one.
      change(join(partial, basename(storeFile)), 'delete from lease')
      for (const file of KEY_FILE_NAMES.filter((one) => existsSync(join(dataDir, one)))) {
        await copyFile(join(dataDir, file), join(partial, file))
      }
      await rm(directoryOf(name), { recursive: true, force: true })
      await rename(partial, directoryOf(name))
    },
    async revert(name, finish) {
      const { store, views } = await open(name)
      await store.putBack((sql) => newestIds(sql, locking), finish)
      await views?.putBack(NOTHING, NOTHING)
    },
    async remove(name) {
      if (!existsSync(directoryOf(name))) unknownSnapshot(name, await list())
      close()
      await rm(directoryOf(name), { recursive: true, force: true })
    },
  }
}

type OpenCopies = { readonly store: OpenCopy; readonly views: OpenCopy | undefined }

function openCopies(
  { storeFile, viewsFile, flushes }: Place,
  copyOf: (file: string) => string,
): OpenCopies {
  const opening = { keptTables: KEPT_TABLES, flushes, isDerived: false }
  const store = openCopy(storeFile, copyOf(storeFile), opening)
  try {
    const views =
      viewsFile && openCopy(viewsFile, copyOf(viewsFile), { ...opening, isDerived: true })
    return { store, views: views || undefined }
  } catch (error) {
    store.close()
    throw error
  }
}

const NOTHING = async () => {}

/** Not put back: the schema, who leads, the rows that writers lock, and the numbers of keys, which never change or go. */
const KEPT_TABLES = ['schema_migration', 'schema_part', 'lease', 'lock', 'signer_key']

/** The newest ids under each lock. */
async function newestIds(sql: Sql, locking: Locking): Promise<NewestIds> {
  const newest = new Map<string, number>()
  for (const lock of WHOLE_LOCKS) newest.set(lock, await lockWhole(sql, lock, locking))
  return newest
}

type Files = { readonly store: string; readonly views: string | undefined }

const filesOf = (
  { store, views }: Files,
  name: string,
  copyOf: (name: string, file: string) => string,
): Files => ({ store: copyOf(name, store), views: views && copyOf(name, views) })

const versionIn = ({ store, views }: Files, isCopy: boolean): SnapshotVersion => ({
  schema: numberIn(store, 'select max(id) as number from schema_migration', isCopy),
  parts: numberIn(store, 'select count(*) as number from schema_part', isCopy),
  views: views ? numberIn(views, 'select version as number from view_version', isCopy) : 0,
})

/** -1 when there is no such file. */
function numberIn(file: string, text: string, isCopy: boolean): number {
  if (!existsSync(file)) return -1
  const database = new DatabaseSync(isCopy ? unchanging(file) : file, { readOnly: true })
  try {
    return Number((database.prepare(text).get() as { number: number }).number)
  } finally {
    database.close()
  }
}

function change(file: string, text: string): void {
  const database = new DatabaseSync(file)
  try {
    database.exec(text)
  } finally {
    database.close()
  }
}
