import { VERSION } from '../../kernel/base/version.ts'
import { firstEventIdAt } from '../../kernel/protocol/event-id.ts'
import type { Storage } from '../../kernel/storage/storage.ts'
import type { Manifest, ManifestHead, Sink } from './sink.ts'
import { changes, everything } from './source.ts'
import { TABLES_VERSION } from './tables.ts'

export type ExportRequest = {
  readonly network: string
  /** Only what these fids wrote and own. */
  readonly fids?: readonly number[] | undefined
  /** Only what came after this event. */
  readonly since?: number | undefined
  /** `total` is about how many rows there will be; undefined: nobody knows. */
  readonly onProgress?: (rows: number, total: number | undefined) => void
}

/** The export cannot be made; the message says what to do. */
export class ExportRefused extends Error {}

/** The target cannot take rows now, and may later: a follower tries again, with waits like these. */
export class TargetAway extends ExportRefused {}
export const RETRY = { firstMs: 500, maxMs: 60_000 }

/** Throws ExportRefused unless this program can read the data, and the log has everything since that event. */
export async function checkExport(storage: Storage, since: number | undefined): Promise<void> {
  const schema = await storage.exports.schema()
  const known = storage.schema!.newest
  if (schema !== known) {
    throw new ExportRefused(
      `the data have schema ${schema}, and this program reads schema ${known}: ` +
        (schema < known
          ? 'start the server of this version once'
          : 'use the version of the server'),
    )
  }
  if (since === undefined) return
  const { newestId, prunedId, startId } = await storage.events.logState(since)
  if (since > newestId) {
    throw new ExportRefused(`--since ${since} is after the newest event, ${newestId}`)
  }
  if (since < Math.max(prunedId, startId)) {
    throw new ExportRefused(
      `events up to ${Math.max(prunedId, startId)} are no longer in the log, so changes since ${since} ` +
        'are not known: export everything again, without --since',
    )
  }
}

/** The event after which changes since a moment begin. */
export async function eventBefore(storage: Storage, moment: Date, nowMs: number): Promise<number> {
  const ms = moment.getTime()
  if (ms > nowMs) throw new ExportRefused(`--since ${moment.toISOString()} is in the future`)
  return Math.min(Math.max(0, firstEventIdAt(ms) - 1), await storage.events.newestId())
}

/** Writes the rows into a sink. The state of the store may change meanwhile: see docs/export.md. */
export async function runExport(
  storage: Storage,
  sink: Sink,
  request: ExportRequest,
): Promise<Manifest> {
  const { network, fids, since, onProgress } = request
  await checkExport(storage, since)
  const untilId = await storage.events.newestId()
  const head: ManifestHead = {
    format: 1,
    version: VERSION,
    tablesVersion: TABLES_VERSION,
    network,
    content: since === undefined ? 'everything' : 'changes',
    fids: fids ?? null,
    firstEventId: since === undefined ? 0 : since + 1,
    lastEventId: untilId,
    startedAt: new Date().toISOString(),
  }
  const range = { fids, untilId }
  const pages = since === undefined ? everything(storage, range) : changes(storage, since, range)
  try {
    const isAll = since === undefined && fids === undefined
    const stored = isAll ? await storage.messages.count() : undefined
    let rows = 0
    for await (const items of pages) {
      await sink.write(items)
      rows += items.length
      onProgress?.(rows, stored && Math.max(stored, rows))
    }
    // Events that were pruned meanwhile may not have been read.
    if (since !== undefined) await checkExport(storage, since)
    const tables = await sink.finish(head)
    return { ...head, finishedAt: new Date().toISOString(), tables }
  } catch (error) {
    await sink.abort()
    throw error
  }
}
