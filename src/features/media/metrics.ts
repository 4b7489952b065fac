import { Counter, Gauge, type Registry } from 'prom-client'
import type { Reader } from '../../kernel/storage/storage.ts'
import { mediaRows } from './tables/media.ts'

const RESULTS = ['stored', 'refused', 'failed'] as const

export type MediaMetrics = {
  uploaded(result: (typeof RESULTS)[number]): void
  /** Uploads that nothing used any more. */
  collected(count: number): void
}

export function createMediaMetrics(registry: Registry, { of }: Pick<Reader, 'of'>): MediaMetrics {
  const registers = [registry]
  const uploads = new Counter({
    name: 'rookery_media_uploads_total',
    help: 'Uploads of pictures and videos by result',
    labelNames: ['result'],
    registers,
  })
  for (const result of RESULTS) uploads.inc({ result }, 0)
  const collected = new Counter({
    name: 'rookery_media_collected_total',
    help: 'Uploads that were removed because nothing used them',
    registers,
  })
  new Gauge({
    name: 'rookery_media_files',
    help: 'Pictures and videos that are kept',
    registers,
    async collect() {
      this.set((await of(mediaRows).totals()).files)
    },
  })
  new Gauge({
    name: 'rookery_media_bytes',
    help: 'Bytes of pictures and videos that are kept',
    registers,
    async collect() {
      this.set((await of(mediaRows).totals()).bytes)
    },
  })
  return {
    uploaded: (result) => uploads.inc({ result }),
    collected: (count) => collected.inc(count),
  }
}
