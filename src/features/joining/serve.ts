import { unixSeconds } from '../../kernel/base/clock.ts'
import type { Module } from '../../kernel/module.ts'
import type { Server } from '../../kernel/server.ts'
import { SERVER_FACE } from '../server-face/port.ts'
import { askedOf } from './consents.ts'
import { ASKED_CONSENT } from './port.ts'
import { joiningRoutes } from './routes.ts'

export function serve({ storage, clock, platform, of, offer }: Server<unknown>): Module {
  const faces = of(SERVER_FACE)
  offer(ASKED_CONSENT, (reader, fid) => askedOf({ faces }, reader, fid))
  const context = { storage, faces, now: () => unixSeconds(clock), actorOf: platform.actorOf }
  return { name: 'joining', routes: { accounts: joiningRoutes(context) } }
}
