import { statfsSync, statSync } from 'node:fs'
import type { Engine } from './engines/engine.ts'

// How much of its disk quota the store uses. Storage on a ledger grows with what people write, so the operator is warned,
// then uploads are refused, and only then messages. Nothing that is stored gives way.

/** The operator is warned from this share of the quota on. */
export const WARNED_SHARE = 0.8
/** Uploads are refused from this share on, so that words have the rest. */
export const UPLOADS_SHARE = 0.9
/** Room that a derived quota leaves: for the write-ahead log, migrations and work of the system. */
const RESERVED_BYTES = 256 * 1024 * 1024
/** At most this part of what the store may take: a small disk would be full from the start. */
const RESERVED_SHARE = 0.125
/** Measuring reads the sizes of files; in this time one process writes a few ten megabytes at most. */
const MEASURED_EVERY_MS = 10_000

export type DiskUse = {
  readonly usedBytes: number
  /** Undefined on a PostgreSQL without a setting: the size of its disk is not known here. */
  readonly quotaBytes: number | undefined
  /** Of the quota, from 0; above 1 when more is used than it allows. 0 without a quota. */
  readonly share: number
}

type DiskTerms = {
  readonly engine: Pick<Engine, 'diskBytes'>
  /** The setting. */
  readonly quotaBytes: number | undefined
  /** Files besides the database that count. */
  readonly files: readonly string[]
}

/** Measures at most every ten seconds; calls at the same time share a measurement. */
export function measuringDisk(terms: DiskTerms): () => Promise<DiskUse> {
  let measured: Promise<DiskUse> | undefined
  let measuredAt = 0
  return () => {
    const now = performance.now()
    if (!measured || now - measuredAt >= MEASURED_EVERY_MS) {
      measuredAt = now
      measured = measure(terms)
      measured.catch(() => {
        measured = undefined
      })
    }
    return measured
  }
}

async function measure({ engine, quotaBytes, files }: DiskTerms): Promise<DiskUse> {
  const { usedBytes, freeBytes } = await engine.diskBytes()
  const used = files.reduce((sum, file) => sum + sizeOf(file), usedBytes)
  const left = freeBytes === undefined ? undefined : roomOf(used, freeBytes)
  const limits = [quotaBytes, left].filter((limit) => limit !== undefined)
  const quota = limits.length === 0 ? undefined : Math.min(...limits)
  return {
    usedBytes: used,
    quotaBytes: quota,
    share: quota === undefined ? 0 : shareOf(used, quota),
  }
}

/** What the store may take of its disk in all. */
function roomOf(used: number, freeBytes: number): number {
  const reserved = Math.min(RESERVED_BYTES, (used + freeBytes) * RESERVED_SHARE)
  return used + Math.max(0, freeBytes - reserved)
}

const shareOf = (used: number, quota: number): number => (quota === 0 ? 1 : used / quota)

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

/** Bytes that this user may still write to the disk of a directory. */
export function freeBytesAt(dir: string): number {
  const { bavail, bsize } = statfsSync(dir)
  return bavail * bsize
}
