import { createRenderer, type Renderer } from '../../kernel/base/pictures/renderer.ts'
import type { HttpConfig } from '../../kernel/http/settings.ts'
import type { Module, ModuleContext } from '../../kernel/module.ts'
import { cleanUpJob } from './clean-up.ts'
import { databaseBytes } from './kept-bytes.ts'
import { Media } from './media.ts'
import { createMediaMetrics } from './metrics.ts'
import { fileRoutes, type MediaContext, uploadRoutes } from './routes.ts'
import { s3Bytes } from './s3-bytes.ts'
import type { MediaConfig } from './settings.ts'

const MB = 1_000_000

type MediaModule = Module & {
  readonly media: Media
  /** Decodes pictures, for this module and for others. */
  readonly renderer: Renderer
}

/** Pictures and videos that users upload. */
export async function createMediaModule(
  { storage, clock, metrics, onError }: ModuleContext,
  config: MediaConfig & HttpConfig,
  { actorOf }: Pick<MediaContext, 'actorOf'>,
): Promise<MediaModule> {
  let listening = ''
  const publicUrl = config.publicUrl?.replace(/\/$/, '')
  const maxVideoBytes = config.mediaVideoMb * MB
  const nowMs = () => clock.now()
  const renderer = createRenderer()
  const kept = config.mediaS3 ? await s3Bytes(config.mediaS3, onError) : databaseBytes(storage)
  const mediaMetrics = createMediaMetrics(metrics, storage)
  const media = new Media({
    storage,
    kept,
    renderer,
    metrics: mediaMetrics,
    diskUse: config.mediaS3 ? undefined : storage.diskUse,
    limits: {
      bytesPerFid: config.mediaMbPerFid * MB,
      maxBytes: config.mediaMaxMb * MB,
      maxVideoBytes,
    },
    publicUrl: () => publicUrl ?? listening,
    nowMs,
  })
  const context = { media, actorOf }
  return {
    name: 'media',
    media,
    renderer,
    jobs: [cleanUpJob({ media, storage, metrics: mediaMetrics, nowMs })],
    async erase(fid) {
      await media.erase(fid)
      return true
    },
    routes: { platform: uploadRoutes(context), web: fileRoutes(context) },
    listening: (name, url) => {
      if (name === 'web') listening = url
    },
    async stop() {
      await renderer.close()
      kept.close()
    },
  }
}
