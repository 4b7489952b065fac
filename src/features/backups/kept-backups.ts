import { randomBytes } from 'node:crypto'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { SECOND_MS } from '../../kernel/protocol/time.ts'
import { PARTIAL } from './copy.ts'
import { type Found, type Manifest, readManifest, sizeOf } from './manifest.ts'

// The directory of scheduled backups. Files with other names, such as an operator's own, are never deleted.

/** A complete backup. */
export type KeptBackup = {
  readonly name: string
  /** Unix ms of its start: it contains what was acknowledged before. */
  readonly startedMs: number
  readonly seconds: number
  readonly bytes: number
  readonly verified: string
  readonly found?: Found
}

const NAME = /^rookery-\d{8}T\d{6}Z-[0-9a-f]{8}$/
const RANDOM_BYTES = 4
/** A partial backup that no process has touched for this long was left by a crash. */
export const ABANDONED_MS = 10 * 60_000

/** A name that no other process gives, in the order of time. */
export function backupName(nowMs: number): string {
  const time = new Date(nowMs).toISOString().replace(/[-:]|\.\d+/g, '')
  return `rookery-${time}-${randomBytes(RANDOM_BYTES).toString('hex')}`
}

/** The complete backups of a network, newest first. Others are left out. */
export async function listBackups(directory: string, network: string): Promise<KeptBackup[]> {
  const names = (await entriesOf(directory)).filter((name) => NAME.test(name))
  const found = await Promise.all(
    names.map(async (name) => {
      const manifest = await readManifest(join(directory, name)).catch(() => undefined)
      return manifest?.network === network ? [keptBackup(name, manifest)] : []
    }),
  )
  return found.flat().sort((a, b) => b.startedMs - a.startedMs || (a.name < b.name ? 1 : -1))
}

function keptBackup(name: string, manifest: Manifest): KeptBackup {
  const startedMs = Date.parse(manifest.startedAt)
  const seconds = (Date.parse(manifest.finishedAt) - startedMs) / SECOND_MS
  const { verified, found } = manifest
  return { name, startedMs, seconds, bytes: sizeOf(manifest), verified, ...(found && { found }) }
}

/** Removes complete backups beyond the newest `keep`, never the newest one. Returns their names. */
export async function removeOld(
  directory: string,
  network: string,
  keep: number,
): Promise<string[]> {
  const old = (await listBackups(directory, network)).slice(Math.max(1, keep))
  for (const { name } of old) await rm(join(directory, name), { recursive: true, force: true })
  return old.map(({ name }) => name)
}

/** Removes what backups that were cut off have left. */
export async function removeAbandoned(directory: string, nowMs: number): Promise<void> {
  for (const name of await entriesOf(directory)) {
    if (!name.endsWith(PARTIAL) || !NAME.test(name.slice(0, -PARTIAL.length))) continue
    const path = join(directory, name)
    const touched = await stat(path).catch(() => undefined)
    if (touched === undefined || nowMs - touched.mtimeMs < ABANDONED_MS) continue
    await rm(path, { recursive: true, force: true })
  }
}

async function entriesOf(directory: string): Promise<string[]> {
  try {
    return await readdir(directory)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
