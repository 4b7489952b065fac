import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BackupFile } from '../../kernel/storage/backup.ts'

/** What was found when a copy was opened. */
export type Found = {
  readonly messages: number
  readonly events: number
  readonly accounts: number
  /** Secrets of the settings that belong beside the copy, by their variables. */
  readonly keep: string[]
  /** What its keys do not open, in English. */
  readonly faults: string[]
}

/** What a backup says about itself. It is written last: a directory without it is half a backup. */
export type Manifest = {
  readonly format: 1
  readonly version: string
  readonly schema: number
  /** Earlier versions also copied PostgreSQL, as rows. */
  readonly engine: 'sqlite' | 'postgres'
  readonly network: string
  readonly startedAt: string
  readonly finishedAt: string
  /** What was found when the copy was opened. */
  readonly verified: string
  /** The same in parts; earlier versions wrote the text alone. */
  readonly found?: Found
  /** Hash of the settings, secrets included, to notice that a server is restored with others. */
  readonly settings: string
  readonly files: readonly BackupFile[]
}

const MANIFEST = 'manifest.json'
const OWNER_ONLY = 0o600

/** Throws for a directory that is no complete backup, or one of a later format. */
export async function readManifest(directory: string): Promise<Manifest> {
  const text = await readFile(join(directory, MANIFEST), 'utf8').catch(() => undefined)
  if (text === undefined) {
    throw new Error(`${directory} is no complete backup: it has no ${MANIFEST}`)
  }
  const manifest = parsed(text)
  if (manifest?.format !== 1) throw new Error(`${directory} has a format that is not known here`)
  return manifest
}

function parsed(text: string): Manifest | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns only when the manifest is on the disk. */
export const writeManifest = (directory: string, manifest: Manifest): Promise<void> =>
  writeFile(join(directory, MANIFEST), `${JSON.stringify(manifest, undefined, 2)}\n`, {
    mode: OWNER_ONLY,
    flush: true,
  })

export const sizeOf = ({ files }: Manifest): number =>
  files.reduce((sum, { bytes }) => sum + bytes, 0)
