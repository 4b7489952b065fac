import type { Logger } from '../../kernel/http/logger.ts'
import type { HttpConfig } from '../../kernel/http/settings.ts'
import type { Module } from '../../kernel/module.ts'
import type { Server } from '../../kernel/server.ts'
import { CHANNEL_PICTURES } from '../channels/port.ts'
import { SERVER_FACE } from '../server-face/port.ts'
import { findBucketFault } from './bucket-check.ts'
import { cleanUpJob } from './clean-up.ts'
import { Media } from './media.ts'
import { createMediaMetrics } from './metrics.ts'
import { openKeptBytes } from './open-kept-bytes.ts'
import { operatorMediaRoutes } from './operator-routes.ts'
import { MEDIA_OF_USERS } from './port.ts'
import { fileRoutes, uploadRoutes } from './routes.ts'
import { MAX_VIDEO_MB, MEDIA_SETTINGS, type MediaConfig, type S3Place } from './settings.ts'

const MB = 1_000_000

/** Pictures and videos that users upload. */
export async function serve(server: Server<MediaConfig & HttpConfig>): Promise<Module> {
  const { config, live, storage, clock, metrics, logger, onError, platform } = server
  const { renderer, find, offer } = server
  let listening = ''
  const publicUrl = config.publicUrl?.replace(/\/$/, '')
  const { mediaMbPerFid, mediaMaxMb, mediaVideoMb } = MEDIA_SETTINGS.settings
  const mbPerFid = live.use(mediaMbPerFid, config.mediaMbPerFid)
  const maxMb = live.use(mediaMaxMb, config.mediaMaxMb)
  const videoMb = live.use(mediaVideoMb, config.mediaVideoMb)
  const nowMs = () => clock.now()
  if (config.mediaS3) await checkBucket(config.mediaS3, logger)
  const kept = await openKeptBytes(config, storage, onError)
  const mediaMetrics = createMediaMetrics(metrics, storage)
  const media = new Media({
    storage,
    kept,
    renderer,
    metrics: mediaMetrics,
    diskUse: config.mediaS3 ? undefined : storage.diskUse,
    limits: async () => ({
      bytesPerFid: (await mbPerFid()) * MB,
      maxBytes: (await maxMb()) * MB,
      maxVideoBytes: (await videoMb()) * MB,
    }),
    mostVideoBytes: MAX_VIDEO_MB * MB,
    publicUrl: () => publicUrl ?? listening,
    nowMs,
  })
  offer(MEDIA_OF_USERS, media)
  const asksForDescriptions = async () =>
    (await find(SERVER_FACE)?.read())?.descriptions === 'required'
  const context = { media, actorOf: platform.actorOf, asksForDescriptions }
  const picturesOfPlaces = async (containing: string) => {
    const ofServer = await find(SERVER_FACE)?.ownPictures()
    const ofChannels = await find(CHANNEL_PICTURES)?.(storage, containing)
    return [...(ofChannels ?? []), ...(ofServer ?? [])]
  }
  return {
    name: 'media',
    jobs: [cleanUpJob({ media, storage, metrics: mediaMetrics, nowMs, picturesOfPlaces })],
    async erase(fid) {
      await media.erase(fid)
      return true
    },
    operatorRoutes: operatorMediaRoutes(context),
    routes: { platform: uploadRoutes(context), web: fileRoutes(context) },
    listening: (name, url) => {
      if (name === 'web') listening = url
    },
    async stop() {
      kept.close()
    },
  }
}

/** A wrong setting ends the start. A storage that is away for now takes its files with it, and not the words of people. */
async function checkBucket(place: S3Place, logger: Logger): Promise<void> {
  const fault = await findBucketFault(place)
  if (!fault) return
  const { found, mend, mayPass } = fault
  if (!mayPass) throw new Error(`${found}. To mend it: ${mend}`)
  logger.warn({ mend }, found)
}
