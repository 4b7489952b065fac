import { unixSeconds } from '../../kernel/base/clock.ts'
import type { Module } from '../../kernel/module.ts'
import { type Server, type ServerStart, WRITTEN_TEXT } from '../../kernel/server.ts'
import { MEDIA_OF_USERS } from '../media/port.ts'
import { Faces } from './face.ts'
import { faceRoutes, operatorFaceRoutes } from './face-routes.ts'
import { liveSettingRoutes } from './live-setting-routes.ts'
import { SERVER_FACE } from './port.ts'
import { type FaceConfig, faceOf } from './settings.ts'
import { serverTextRows } from './tables/server-texts.ts'

export const begin = ({ offer }: ServerStart<unknown>): void =>
  offer(WRITTEN_TEXT, ({ of }, name) => of(serverTextRows).get(name))

export function serve(server: Server<FaceConfig>): Module {
  const { config, storage, clock, live, logger, find, offer } = server
  const faces = new Faces(storage, clock, faceOf(config), () => find(MEDIA_OF_USERS))
  offer(SERVER_FACE, faces)
  return {
    name: 'server face',
    async start() {
      for (const one of await live.differences()) logger.warn(one)
    },
    routes: { web: faceRoutes(faces) },
    operatorRoutes: [
      ...operatorFaceRoutes(faces),
      ...liveSettingRoutes({ storage, live, now: () => unixSeconds(clock) }),
    ],
  }
}
