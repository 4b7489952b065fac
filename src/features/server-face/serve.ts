import type { Module } from '../../kernel/module.ts'
import { GIVEN_NAME, type Server, type ServerStart } from '../../kernel/server.ts'
import { MEDIA_OF_USERS } from '../media/port.ts'
import { Faces } from './face.ts'
import { faceRoutes, operatorFaceRoutes } from './face-routes.ts'
import { SERVER_FACE } from './port.ts'
import { type FaceConfig, faceOf } from './settings.ts'
import { serverTextRows } from './tables/server-texts.ts'

export const begin = ({ storage, offer }: ServerStart<unknown>): void =>
  offer(GIVEN_NAME, () => storage.replica.of(serverTextRows).get('name'))

export function serve({ config, storage, clock, find, offer }: Server<FaceConfig>): Module {
  const faces = new Faces(storage, clock, faceOf(config), () => find(MEDIA_OF_USERS))
  offer(SERVER_FACE, faces)
  return {
    name: 'server face',
    routes: { web: faceRoutes(faces) },
    operatorRoutes: operatorFaceRoutes(faces),
  }
}
