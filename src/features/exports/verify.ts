import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describeFile } from '../../kernel/storage/backup.ts'
import { MANIFEST } from './files.ts'
import type { Manifest } from './sink.ts'
import { TABLES_VERSION } from './tables.ts'

export type Verified = {
  readonly files: number
  readonly bytes: number
  /** Sentences; none: the folders are whole, and applied in order they are an export up to `lastEventId`. */
  readonly faults: readonly string[]
  readonly lastEventId: number | undefined
}

/** Compares the files of exports with their manifests, and the manifests of folders that follow each other. */
export async function verifyExports(directories: readonly string[]): Promise<Verified> {
  const faults: string[] = []
  let [files, bytes] = [0, 0]
  let before: Manifest | undefined
  for (const directory of directories) {
    const manifest = await manifestOf(directory).catch((error: Error) => {
      faults.push(`${directory}: ${error.message}`)
      return undefined
    })
    if (manifest === undefined) continue
    const named = Object.values(manifest.tables).flatMap((table) => table.files ?? [])
    files += named.length
    bytes += named.reduce((sum, file) => sum + file.bytes, 0)
    faults.push(...(await faultsOfFiles(directory, named)))
    if (before) faults.push(...faultsOfOrder(directory, before, manifest))
    before = manifest
  }
  return { files, bytes, faults, lastEventId: before?.lastEventId }
}

async function manifestOf(directory: string): Promise<Manifest> {
  const text = await readFile(join(directory, MANIFEST), 'utf8').catch(() => undefined)
  if (text === undefined) {
    throw new Error(
      `it has no ${MANIFEST}, which is written last: export again into a new directory`,
    )
  }
  const manifest: Manifest = JSON.parse(text)
  if (manifest.format === 1 && manifest.tablesVersion === TABLES_VERSION) return manifest
  throw new Error(
    `its tables are of version ${manifest.tablesVersion ?? 1}, and this program knows version ${TABLES_VERSION}: ` +
      'use the version that wrote it',
  )
}

type NamedFile = { readonly name: string; readonly bytes: number; readonly sha256: string }

async function faultsOfFiles(directory: string, named: readonly NamedFile[]): Promise<string[]> {
  const faults: string[] = []
  for (const { name, bytes, sha256 } of named) {
    const path = join(directory, name)
    const size = await stat(path).then(
      (found) => found.size,
      () => undefined,
    )
    if (size === undefined) faults.push(`${path}: the file is missing`)
    else if (size !== bytes) faults.push(`${path}: it has ${size} bytes in place of ${bytes}`)
    else if ((await describeFile(directory, name)).sha256 !== sha256) {
      faults.push(`${path}: its content has changed`)
    }
  }
  const known = new Set([MANIFEST, ...named.map(({ name }) => name)])
  const found = await readdir(directory, { recursive: true, withFileTypes: true })
  for (const entry of found.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name)
    // Readers of `casts-*` would read it, too.
    if (!known.has(path.slice(join(directory, '/').length))) {
      faults.push(`${path}: the file is not of this export`)
    }
  }
  return faults
}

function faultsOfOrder(directory: string, before: Manifest, manifest: Manifest): string[] {
  const faults: string[] = []
  if (manifest.content !== 'changes') {
    faults.push(`${directory}: it is a whole export and does not continue another one`)
  } else if (manifest.firstEventId > before.lastEventId + 1) {
    faults.push(
      `${directory}: it begins with event ${manifest.firstEventId}, and the folder before ends with ` +
        `${before.lastEventId}: one between is missing, or the order is another`,
    )
  } else if (manifest.lastEventId < before.lastEventId) {
    faults.push(
      `${directory}: it ends with event ${manifest.lastEventId}, before the folder before it, ` +
        `${before.lastEventId}: the order is another`,
    )
  }
  if (manifest.network !== before.network) {
    faults.push(`${directory}: it is of the network ${manifest.network}, not of ${before.network}`)
  }
  if (JSON.stringify(manifest.fids) !== JSON.stringify(before.fids)) {
    faults.push(`${directory}: it is of other fids than the folder before`)
  }
  return faults
}
