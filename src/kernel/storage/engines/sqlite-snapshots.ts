import { existsSync } from 'node:fs'
import { copyFile, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { KEY_FILE_NAMES } from '../../base/server-key.ts'
import { type Locking, lockWhole, WHOLE_LOCKS } from '../locks.ts'
import {
  checkRoom,
  checkVersion,
  type NewestIds,
  type Snapshots,
  type SnapshotVersion,
  unknownSnapshot,
} from '../snapshots.ts'
import type { Engine } from './engine.ts'
import type { Row, Sql } from './sql.ts'
import type { SqliteEngine } from './sqlite.ts'
import { copyDatabase, replaceContent } from './sqlite-content.ts'
import { inWriteTurn } from './write-turn.ts'

const DIRECTORY = 'snapshots'
/** The end of the name of one that is being made. */
const PARTIAL = '.partial'
const OWNER_ONLY_DIRECTORY = 0o700

type Place = {
  readonly dataDir: string
  readonly storeFile: string
  /** Undefined when the views are left out. */
  readonly viewsFile: string | undefined
}

/** Snapshots as copies of the files of an embedded store, in a directory beside it. */
export function sqliteSnapshots(
  engine: Engine & SqliteEngine,
  locking: Locking,
  place: Place,
): Snapshots {
  const { dataDir, storeFile, viewsFile } = place
  const root = join(dataDir, DIRECTORY)
  const directoryOf = (name: string) => join(root, name)
  const list = async () => {
    const names = await readdir(root).catch(() => [])
    return names.filter((name) => !name.endsWith(PARTIAL)).sort()
  }
  const copyOf = (name: string, file: string) => join(directoryOf(name), basename(file))
  return {
    list,
    directoryOf,
    async save(name) {
      checkRoom(name, await list())
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
      if (!existsSync(copyOf(name, storeFile))) unknownSnapshot(name, await list())
      const files = { store: storeFile, views: viewsFile }
      checkVersion(name, versionIn(filesOf(files, name, copyOf)), versionIn(files))
      await engine.replace(
        copyOf(name, storeFile),
        (sql) => keptOf(sql, locking),
        async (sql, kept) => {
          await keep(sql, kept)
          await finish(sql, kept.newest)
        },
      )
      if (viewsFile === undefined) return
      await inWriteTurn(viewsFile, () => replaceContent(viewsFile, copyOf(name, viewsFile)))
    },
    async remove(name) {
      if (!existsSync(directoryOf(name))) unknownSnapshot(name, await list())
      await rm(directoryOf(name), { recursive: true, force: true })
    },
  }
}

type Kept = {
  readonly newest: NewestIds
  readonly leases: readonly Row[]
  readonly keys: readonly Row[]
}

/** What stays as it is: threads remember the numbers of keys, and who leads goes on leading. */
async function keptOf(sql: Sql, locking: Locking): Promise<Kept> {
  const newest = new Map<string, number>()
  for (const lock of WHOLE_LOCKS) newest.set(lock, await lockWhole(sql, lock, locking))
  const leases = await sql.all('select name, holder, epoch, expires_at from lease')
  return { newest, leases, keys: await sql.all('select id, key from signer_key') }
}

async function keep(sql: Sql, { leases, keys }: Kept): Promise<void> {
  for (const { name, holder, epoch, expires_at } of leases) {
    await sql.all('insert into lease (name, holder, epoch, expires_at) values (?, ?, ?, ?)', [
      ...[name!, holder!, epoch!, expires_at!],
    ])
  }
  const [known] = await sql.all('select coalesce(max(id), 0) as id from signer_key')
  for (const { id, key } of keys.filter(({ id }) => Number(id) > Number(known?.id))) {
    await sql.all('insert into signer_key (id, key) values (?, ?)', [id!, key!])
  }
}

type Files = { readonly store: string; readonly views: string | undefined }

const filesOf = (
  { store, views }: Files,
  name: string,
  copyOf: (name: string, file: string) => string,
): Files => ({ store: copyOf(name, store), views: views && copyOf(name, views) })

const versionIn = ({ store, views }: Files): SnapshotVersion => ({
  schema: numberIn(store, 'select max(id) as number from schema_migration'),
  parts: numberIn(store, 'select count(*) as number from schema_part'),
  views: views ? numberIn(views, 'select version as number from view_version') : 0,
})

/** -1 when there is no such file. */
function numberIn(file: string, text: string): number {
  if (!existsSync(file)) return -1
  const database = new DatabaseSync(file, { readOnly: true })
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
